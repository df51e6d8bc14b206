#!/usr/bin/env python3
"""Digests of everything that the program writes about pages that grammars make.

usage: made_pages.py PROGRAM                 compares with made_pages.out
       made_pages.py --accept PROGRAM        keeps the digests of now
       made_pages.py --write FOLDER PROGRAM  writes the pages and the records to FOLDER: to see a difference, write with both programs, and compare the folders

mixed_pages.py edits pages at random. Here each page has one subject with many forms of it: posts of a forum with the marks of its software or with other names, structured data, bylines and dates, text with
the signs of Markdown, formulas, addresses, personal data, sections, and HTTP headers. The random numbers are the script's own: a page depends only on its name and on this script.
A row of made_pages.out is a subject and a tenth of its pages, a column is a set of options, a cell is a digest of the records. Whether the answers are right, other tests say.
"""
import json
import os
import re
import sys
import tempfile

import mixed_pages
from mixed import Random, settle

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(HERE, 'made_pages.out')
PARTS = 10  # rows of a subject
RUNS = {
    'all': mixed_pages.RUNS['all'],
    'redact': mixed_pages.RUNS['redact'],
    'plain': ['run', '--emit', 'full_text,links,posts,blocks', '--text-format', 'plain,markdown', '-k', 'keep-all', '-s', 'bf-rulebased', '--weak-facts'],
    'limits': ['run', '--emit', 'all', '--max-depth', '7', '--max-nodes', '60', '--max-blocks', '12', '--max-links', '3', '--text-format', 'markdown', '-k', 'largest-content', '-s', 'just-rules'],
}
WORDS = """the a of and to in is was it for on that with as his they at be this from have or by one had not but what all were when we there can an your which their said if do will each about how up out
them then she many some so these would other into has more her two like him see time could no make than first been its who now people my made over did down only way find use may water long little very
after words called just where most know harbour keeper ships lantern mill bread winter village stones sledge smith road letter books autumn Sunday February""".split()
FOREIGN = ['灯台', '守は', '嵐の前に', '船を数え', '我们在港口', '数了数船', 'Хранитель', 'маяка', 'считал', 'корабли', 'قبل', 'العاصفة', 'שלום', 'עולם', 'ผู้ดูแลประภาคาร', 'und', 'der', 'nicht', 'ein', 'größe', 'être', 'où', 'señor', 'ação', 'हिन्दी', '등대지기는']
NAMES = ['Ada Byron', 'Grace Hopper', 'keeper_77', 'Bob', 'mate', 'J. R. Smith', 'Dr. Anna-Lena Müller', 'Иван Петров', '山田太郎', '🦊👀', 'anonymous', 'Guest', 'x', 'user1234567', 'ADMIN', "O'Neil", 'van der Berg', 'Ada Byron (Moderator)', 'sailor.of.the.sea',
         'María José', 'מנחם', 'أحمد علي', 'CmdrTaco (1)', 'The Very Long Name Of A Person Who Wrote Many Posts In This Forum', 'Deleted', '12345', '@ropes', 'Ann and Bob', 'Staff Writer', 'By Ada', 'a@b.example', 'Ada | 83', 'Ada 2月前', '(楼主)', 'Level 5', '#1']
DATES = ['2024-0%d-1%d', '2024-0%d-1%dT0%d:30:00Z', '0%d/1%d/2024', '1%d.%d.2024', '%d days ago', '%d hours ago', '1%d May 2024', 'May %d, 2024', 'May 1%d, 2024 at %d:05 pm', 'Sat Feb 0%d, 2024 4:05 am', '%dd', '%d mo', '1%dmin', 'vor %d Tagen', 'il y a %d ans', 'hace %d horas',
         '2024年%d月1%d日', '%d. Januar 2024', 'le 1%d mars 2023', '1%d de mayo de 2021', '1%d июня 2022', 'Yesterday, %d:00', 'Just now', '2023/1%d/0%d', 'Dec 1%d', '1%d-Nov-23', 'joined 2019-0%d-01', 'Last edited: May %d, 2023', 'Posted: Mon, 1%d Jan 2024 0%d:00:00 GMT',
         '1%d %d 2024', '%d/%d/%d', 'Q%d 2024', '1%d:%d:2024', 'منذ %d ساعات', 'לפני %d ימים', '%d วันที่แล้ว', '%d दिन पहले', '%d ماه پیش', '1%d نوفمبر 2023', '%d 小时前', '170000000%d', '', 'never']
# Marks of posts by software, as in November 2026: posts, texts, authors, dates, votes, accepted, others
SOFTWARE = [
    ('article.message!.body li.message!.body div.message.js.post!.body!.bit', 'article.message.body blockquote.message.text .message.body .bb.wrapper', '.message.name .username', 'time .date.time', '', '.message.solution .solution.post', '.message.signature .signature .message.user!.content .message.footer .message.meta'),
    ('.crawler.post!.meta!.infos .topic.post!.body!.avatar', '.cooked div.post@text .post@text', '@author .creator .names.card .username', 'time.post.time time@date@published .relative.date .post.date', '.post.likes .like.count', '.accepted.answer', '.post.menu.area .topic.avatar'),
    ('.post.bg', 'div.content', '.username .username.coloured .author', 'time .author', '', '', '.signature .postprofile .post.buttons .notice'),
    ('div.type.reply div.type.topic .bbp.topic.hentry .bbp.reply.hentry', '.bbp.reply.content .ant.comment .bbp.topic.content', '.bbp.author.name .bbp.reply.author .bbp.topic.author', '.bbp.reply.post.date .bbp.topic.post.date time', '', '', '.bbp.admin.links .bbp.reply.to .bbp.author.role .bbp.author.ip'),
    ('.blockpost', '.postmsg', 'dt', 'h2', '', '', '.postsignature .postleft .postfoot'),
    ('li.postbit li.postcontainer li.postbitlegacy li.postbitim table#post!#message div#post!#message!.message!.post li.post#node li.conversation.entry', '#post#message .post.content.text blockquote.postcontent .postcontent @text', '.bigusername .username @author .author', 'time .postdate .date .post.timestamp', '', '', '.signature .after.content .userinfo .postfoot'),
    ('#question.question div.answer#answer li.comment#comment.js li.comment#comment!.depth!.even!.odd tr.comment#comment', '.js.post.body .post.text .comment.copy', '@author .user.details .comment.user', '.relativetime .relativetime.clean .user.action.time', '.js.vote.count .vote.count.post .comment.score', '.accepted.answer @accepted@answer', '.post.menu .votecell'),
    ('.thing.comment .thing.link', '.usertext.body .md', '.author', '.live.timestamp time', '.score.unvoted', '', '.flat.list .midcol .parent'),
    ('', '#comment#rtjson#content #post#rtjson#content', 'a.author.name a.truncate.font.bold', 'time', '', '', ''),
    ('tr.athing.comtr table.fatitem', '.commtext .toptext .comment', '.hnuser', '.age', '.score', '', '.navs .reply'),
    ('article.ips.comment article.post.ips article.ips.entry', '.ips.type.rich.text .ips.rich.text .ips.comment.content', '.author.pane!.photo!.info!.wrap!.mobile!.desktop .ips.entry.username .ips.comment.author', 'time', '', '.ips.comment.solved .ips.entry.solved', '.ips.item.controls .signature .ips.signature .ips.comment.controls .author.pane.info'),
    ('div#post!#list!#message table#pid table.plhin', 'td#postmessage div#postmessage #postmessage', '.authi', '#authorposton', '', '', '.sign .pob .pstatus'),
    ('.post.wrapper!.bit!.message', '.inner#msg .list.posts .inner', '.poster', '.page.number .smalltext .keyinfo', '', '', '.signature .moderatorbar .quickbuttons'),
    ('.item.comment!.header .item.discussion!.header', '.message.user.content .message .user.content', '.username .author', 'time .date.created', '', '', '.author.info .reactions .signature'),
    ('div.comment!.form!.text', '.comment.text', '.byline', 'time', '.upvoter .score', '', '.voters'),
    ('li.comment.contain', '.comment.body', '.by', '.otherdetails', '.score', '', '.comment.sub .commentstatus'),
    ('div.post#post!.body!.content!.head', '.post.body!.outer', '.author.information .post.author .largetext', '.post.date', '', '', '.signature .post.controls .author.statistics'),
    ('', 'span.postbody td.postbody div.postbody', '.name .postauthor .postusername', '.postdetails .postdate .gensmall', '', '', '.gensmall'),
    ('div.row.message', '.kmsg', '.kwho.user', '.kdate', '', '', '.profilebox .profile.expand .mykmsg.header .kmessage.thankyou'),
    ('div.dwqa.question.item div.dwqa.answer.item div.dwqa.comment#comment', '.dwqa.question.content .dwqa.answer.content .dwqa.comment', '.dwqa.question.meta .dwqa.answer.meta .dwqa.comment.meta', '.dwqa.question.meta .dwqa.answer.meta .dwqa.comment.meta', '.dwqa.vote.count', '.dwqa.best.answer', '.dwqa.question.meta .dwqa.answer.meta .dwqa.comment.meta .dwqa.comments.list'),
    ('div.post.item.content', '.post.text', '.name', '.postdate', '', '', '.merit.badges .signature'),
    ('div.post.bright', '#post#content', '.author.name.user.card', '.tail.info', '', '', '.core.reply.tail .forbidden.tip'),
    ('div.dw#post!.ttl', '.dw.bd.blk', '.dw.by', '.dw.ago', '', '', ''),
    ('', '.fmt', '.name.ellipsis', 'time', '', '', ''),
    ('', '@text @article@body @comment@text', '@author @creator .author .username', '@date@published @date@created time', '@upvote@count', '@accepted@answer', ''),
    ('li.comment#comment!#respond li.comment.depth li.comment.even li.comment.odd div.comment#comment!.body!.content!.list!.respond!.form article.comment#comment!.body', '.comment.content .comment.text .comment.entry section.comment .comment.body', '.fn .comment.author!.vcard .comment.author .author', 'time .comment.date .comment.metadata .commentmetadata .comment.meta .date', '', '', '.reply .comment.reply.link .avatar .comment.awaiting.moderation .comment.meta .comment.author.vcard'),
    ('div.comment.block', 'p.comment.content .comment.content', 'cite.user', '.datetime', '', '', '.comment.header .comment.actions'),
    ('div.qa.part.view div.qa.list.item', '.qa.view.content .qa.item.content', '.qa.who.data', 'time .qa.when.data', '.qa.netvote.count.data', '.qa.list.item.selected', '.qa.view.tags .qa.view.meta .qa.item.meta .qa.voting .qa.view.stats'),
    ('article.comment.post', 'div.post.body', '.username .post.user', 'time', '', '', '.post.actions .post.footer .post.meta'),
    ('div.sabai.entity.bundle.questions li#sabai#comment', '.sabai.questions.body .sabai.comment.main', '.sabai.user', '.sabai.entity.activity .sabai.comment.date', '.sabai.number .sabai.comment.votes', '', '.sabai.questions.taxonomy .sabai.entity.buttons .sabai.questions.side'),
    ('div.ant.comment!.inner!.avatar!.content!.nested', '.ant.comment.content.detail', '.ant.comment.content.name .ant.comment.content.author', '.ant.comment.content.time .time time', '', '', ''),
    ('div.post.wrap.wpfn', '.wpforo.post.content!.bottom!.top', '.author.name', '.cbleft .wpforo.post.content.top', '', '', '.wpforo.post.signature .author.data .wpf.post.button.actions .wpforo.tags'),
    ('li.post#post', '.post.message!.container', '.post.byline .author', '.time.ago', '.updatable.count', '', 'footer menu'),]


def text(random, count):
    """So many words, with some of other languages and some with signs."""
    out, foreign = [], random.below(9) == 0
    for _ in range(count):
        word = random.one(FOREIGN if foreign else WORDS)
        kind = random.below(60)
        out.append(word + '.' if kind < 4 else word + ',' if kind < 7 else word.capitalize() if kind < 9 else '*%s*' % word if kind == 9 else word + '?' if kind == 10 else str(random.below(3000)) if kind == 11 else word)
    return ' '.join(out)


def date(random):
    form = random.one(DATES)
    return re.sub('%d', lambda _: str(1 + random.below(9)), form)


def element(random, marks, content, more=''):
    """An element that one of the marks finds: ".message.body" is class="message-body"."""
    mark = random.one(marks.split()) if marks else random.one(['.x', 'p', '.a.b', 'b', 'span'])
    tag = re.match(r'[a-z0-9]*', mark).group() or random.one(['div', 'div', 'span', 'p', 'td', 'li'])
    found = {'.': [], '#': [], '@': []}
    for sign, word in re.findall(r'([.#@!])([a-z]+)', mark):
        if sign != '!' or random.below(40) == 0:
            found['.' if sign == '!' else sign].append(word)
    attributes = ''
    if found['.']:
        attributes += ' class="%s%s"' % (random.one(['-', '-', '-', '_', ' ', '--']).join(found['.']), random.one(['', '', '', ' odd', ' bg%d' % random.below(3)]))
    if found['#']:
        attributes += ' id="%s%d"' % (random.one(['_', '-', '']).join(found['#']), random.below(1000))
    if found['@']:
        attributes += ' itemprop="%s"' % (found['@'][0] + ''.join(word.capitalize() for word in found['@'][1:]))
    return '<%s%s%s>%s</%s>' % (tag, attributes, more, content, tag)


def body_of_post(random, depth=0):
    out = ''
    for _ in range(random.one([1, 1, 1, 2, 3])):
        words = text(random, random.one([0, 1, 3, 8, 15, 30, 60]))
        kind = random.below(14)
        if kind == 0:
            words = '<blockquote>%s%s</blockquote>%s' % (random.one(['', '%s wrote:' % random.one(NAMES), 'Originally posted by %s View Post ' % random.one(NAMES), '<cite>%s said:</cite>' % random.one(NAMES), '%s schrieb am %s:' % (random.one(NAMES), date(random))]), text(random, 6), words)
        elif kind == 1:
            words = '<ul><li>%s<li>%s</ul>%s' % (text(random, 3), text(random, 9), words)
        elif kind == 2:
            words += '<pre><code>%s</code></pre>' % text(random, 5)
        elif kind == 3:
            words += '<br>--<br>%s' % random.one(NAMES)
        elif kind == 4 and depth < 2:
            words += '<div class=quote>%s</div>' % body_of_post(random, depth + 1)
        elif kind == 5:
            words += '<div class="signature">%s</div>' % text(random, 4)
        out += random.one(['<p>%s</p>', '<p>%s', '%s<br>', '<div>%s</div>', '%s', '<h3>%s</h3>']) % words
    return out


def name_of(random):
    name = random.one(NAMES)
    link = random.one(['/user/ada', '/members/bob.12/', '/u/%s' % re.sub(r'\W', '', name), './memberlist.php?mode=viewprofile&u=7', 'space-uid-5.html', '/profile/x', '#', '/t/5', 'https://other.example/people/ann', '?author=3'])
    return random.one(['%s', '%s', '<a href="LINK">%s</a>', '<a href="LINK"><b>%s</b></a>', 'by <a href="LINK">%s</a>', 'Posted by %s', '%s says:', '%s wrote:', '<span itemprop=name>%s</span>', '<cite class=fn>%s</cite>', 'by %s on May 5, 2024', '%s · Member', '<img alt="%s" src=/a.png>',
                       '<a href="LINK"><img alt="avatar" src=/a.png></a> <a href="LINK">%s</a>']).replace('LINK', link) % name


def post_of(random, marks, depth, chance):
    posts, texts, authors, dates, votes, accepted, others = marks
    parts = []
    if random.below(20):
        parts.append(element(random, authors, name_of(random), random.one(['', '', ' data-author="%s"' % random.one(NAMES).replace('"', '')])))
    if random.below(12):
        moment = date(random)
        parts.append(element(random, dates, moment, random.one(['', '', ' datetime="2024-0%d-0%dT01:02:03+02:00"' % (1 + random.below(9), 1 + random.below(9)), ' title="%s"' % date(random), ' data-timestamp="17%08d"' % random.below(10 ** 8)])))
    if random.below(3) == 0:
        parts.append(element(random, others, text(random, 1 + random.below(6))))
    if random.below(3) == 0:
        parts.append(element(random, votes or '.votes', random.one(['%d', '+%d', '-%d', '−%d', '%d points', '(Score:%d, Funny)', '%dk', '1,%d34', '%d.5', 'no']).replace('%d', str(random.below(90)))))
    if random.below(9) == 0:
        parts.append(random.one(['<a href="#p%d">#%d</a>' % (depth, random.below(99)), '<a href=/reply>Reply</a>', '<span>Quote</span>', '<div>Joined: 2009 Posts: %d</div>' % random.below(999), '<div class=role>Member</div>']))
    if chance:
        for i in range(len(parts) - 1, 0, -1):
            at = random.below(i + 1)
            parts[i], parts[at] = parts[at], parts[i]
    if random.below(30):
        parts.insert(len(parts) if random.below(3) else random.below(len(parts) + 1), element(random, texts, body_of_post(random)))
    inner = ''.join(parts)
    if random.below(8) == 0:
        inner = '<div class="%s">%s</div>' % (random.one(['inner', 'row', 'wrap post', 'a']), inner)
    if accepted and random.below(6) == 0:
        inner = element(random, accepted, inner if random.below(2) else 'Solution') + (inner if random.below(2) else '')
    if depth < 3 and random.below(6) == 0:
        inner += '<%s>%s</%s>' % (('ul', ''.join(post_of(random, marks, depth + 1, chance) for _ in range(1 + random.below(3))), 'ul'))
    more = random.one(['', '', '', ' itemscope itemtype="http://schema.org/%s"' % random.one(['Comment', 'Answer', 'DiscussionForumPosting', 'UserComments', 'Question', 'Review']), ' data-score="%d"' % random.below(9)])
    return element(random, posts, inner, more) if posts else random.one(['<div%s>%s</div>', '%.0s%s<hr>', '<table%s><tr><td>%s</table>']) % (more, inner)


def chrome(random):
    """What surrounds the content: before and after it."""
    before = random.one(['', '<header><a href=/>Home</a> <a href=/forum>Forum</a></header>', '<nav><ul><li><a href=/1>One<li><a href=/2>Two</ul></nav>', '<div class=breadcrumb><a href=/>Home</a> » <a href=/x>Topics</a></div>'])
    after = random.one(['', '<footer>© 2024 Made Example. <a href=/terms>Terms</a></footer>', '<aside><h3>Related</h3><a href=/r>%s</a></aside>' % text(random, 6), '<div class=pagination><a href=?page=2>2</a> <a href=?page=3>Next</a></div>', '<p>%s' % text(random, 30)])
    return before, after


def thread(random, marks):
    before, after = chrome(random)
    title = text(random, 1 + random.below(8))
    chance = random.below(3) == 0
    posts = ''.join(post_of(random, marks, 0, chance) for _ in range(random.one([1, 2, 3, 3, 4, 5, 6, 9])))
    opening = random.one(['', '', '<p>%s' % text(random, 25), '<article><h1>%s</h1>%s<p>%s</article>' % (title, date(random), text(random, 60))])
    area = random.one(['<div>%s</div>', '<div id=comments class="comments">%s</div>', '<div class="forum topic">%s</div>', '<ol class="commentlist">%s</ol>', '<section id=replies><h2>3 Comments</h2>%s</section>', '<table>%s</table>', '%s'])
    return '<!DOCTYPE html><html lang=%s><head><title>%s</title>%s</head><body class="%s">%s<h1>%s</h1>%s%s%s</body>' % (
        random.one(['en', 'de', 'zh', 'fr', 'en-US', '']), title, random.one(['', '<meta name=generator content="%s">' % random.one(['phpBB', 'vBulletin 4', 'Discourse 3', 'WordPress 6', 'Discuz! X3.4', 'MyBB'])]), random.one(['', 'forum', 'single', 'thread topic']),
        before, title, opening, area % posts, after)


def software(random):
    return thread(random, random.one(SOFTWARE))


GROUPS = ['post', 'comment', 'reply', 'item', 'css-1x2y3z', 'row', 'message', 'answer', 'a', 'entry', 'box', 'c1', 'card', 'thread', 'media']
PLACES = ['name', 'user', 'author', 'who', 'meta', 'info', 'head', 'by', 'date', 'time', 'when', 'body', 'text', 'content', 'b', 'x1', 'css-77a']


def group(random):
    def mark():
        return ' '.join('.' + random.one(PLACES).replace('-', '.') for _ in range(random.one([1, 1, 1, 2])))
    return thread(random, ('.' + random.one(GROUPS) if random.below(8) else '', mark(), mark(), random.one([mark(), 'time', mark()]), mark(), '', mark()))


TYPES = ['Article', 'NewsArticle', 'Person', 'Recipe', 'Product', 'Review', 'Comment', 'Question', 'Answer', 'QAPage', 'Organization', 'WebSite', 'BreadcrumbList', 'ListItem', 'Offer', 'Event', 'DiscussionForumPosting', 'BlogPosting', 'Thing']
PROPERTIES = ['name', 'author', 'datePublished', 'dateModified', 'headline', 'text', 'articleBody', 'description', 'url', 'image', 'mainEntity', 'acceptedAnswer', 'suggestedAnswer', 'comment', 'recipeIngredient', 'recipeInstructions', 'license', 'inLanguage', 'publisher', 'position', 'upvoteCount',
              'itemListElement', 'offers', 'price', 'genre', 'keywords', 'articleSection', 'reviewBody', 'dc:title', 'dc:creator', 'schema:name', 'foaf:maker', 'x:y', 'http://p.example/q', '_:b', 'creator', '']
PLAIN = ['', ' ', 'ropes', '2024-05-06', '2024-05-06T07:08:09+02:00', 'https://v.example/a?b=c#d', '/relative/v', '#frag', '  two  words ', ' dc:title ', ' [_:x] ', '\thttp://schema.org/Thing\n', ' _:y', '[dc:title]', '[_:x]', '[ ]', 'dc:x', 'http://schema.org/Thing', 'CC BY 4.0', 'https://creativecommons.org/licenses/by/4.0/', '3.5', '-1', '1e3',
         'true', 'é&amp;&lt;', 'en-GB', '_:b', '//v.example', ':', 'ropes knots', 'urn:isbn:1']


def attribute(random, name):
    value = {'itemtype': 'http://schema.org/' + random.one(TYPES), 'itemprop': ' '.join(random.one(PROPERTIES) for _ in range(random.one([1, 1, 2]))), 'property': ' '.join(random.one(PROPERTIES) for _ in range(random.one([1, 1, 2]))),
             'typeof': random.one(['schema:', '', 'foaf:', 'http://schema.org/']) + random.one(TYPES), 'vocab': random.one(['http://schema.org/', '', 'https://w.example/ns#', 'schema']), 'prefix': random.one(['x: http://x.example/ns#', 'dc: http://d.example/ y: z', 'X: a b: c', ':', 'q:']),
             'rel': random.one(['author', 'license', 'dc:relation next', 'foaf:knows', 'nofollow', 'schema:url', 'describedby']), 'rev': random.one(['dc:creator', 'made', 'x:z']), 'itemref': random.one(['r1', 'r2 r1', 'r9'])}.get(name, random.one(PLAIN))
    return ' %s%s' % (name, '' if name == 'itemscope' else '="%s"' % value)


def items(random, depth=0):
    """A random tree of microdata and RDFa."""
    out = ''
    for _ in range(1 + random.below(5)):
        tag = random.one(['div', 'span', 'a', 'p', 'meta', 'link', 'time', 'img', 'data', 'meter', 'object', 'li', 'b', 'h2', 'section'])
        kinds = random.one([['itemprop'], ['itemscope', 'itemtype'], ['itemprop', 'itemscope', 'itemtype'], ['property'], ['property', 'typeof'], ['typeof', 'resource'], ['typeof', 'about'], ['rel', 'href'], ['rel', 'resource'], ['rev', 'href'], ['rel'], ['vocab', 'typeof'], ['property', 'content'],
                            ['property', 'datatype'], ['property', 'rel', 'href'], ['about'], ['prefix', 'property'], ['itemprop', 'content'], ['itemprop', 'href'], ['itemscope', 'itemid', 'itemtype'], ['itemprop', 'itemscope'], [], ['property', 'href'], ['property', 'src'],
                            ['property', 'typeof', 'href'], ['property', 'typeof', 'about'], ['rel', 'typeof', 'href'], ['property', 'datetime'], ['itemprop', 'datetime'], ['itemprop', 'src'], ['itemprop', 'value'], ['itemprop', 'data'], ['itemscope', 'itemref'], ['property', 'value'], ['property', 'resource']])
        attributes = ''.join(attribute(random, name) for name in kinds) + random.one(['', '', '', '', ' id=r1', ' id=r2', ' xmlns:x="http://n.example/"', ' lang=de', ' hidden'])
        if tag in ('meta', 'link', 'img'):
            out += '<%s%s>' % (tag, attributes)
        else:
            inner = items(random, depth + 1) if depth < 4 and random.below(2) else text(random, random.below(5))
            out += '<%s%s>%s%s' % (tag, attributes, inner, '' if tag in ('p', 'li') and random.below(2) else '</%s>' % tag)
    return out


def value(random, depth):
    kind = random.below(12 if depth < 4 else 7)
    if kind < 4:
        return random.one(PLAIN + [text(random, 4)])
    if kind == 4:
        return random.one([0, 1, -1, 3.5, 1e20, 12345678901234567890, True, False, None])
    if kind < 7:
        return date(random) if kind == 5 else random.one(NAMES)
    if kind < 9:
        return [value(random, depth + 1) for _ in range(random.below(4))]
    found = {random.one(PROPERTIES): value(random, depth + 1) for _ in range(1 + random.below(5))}
    if random.below(5):
        found['@type'] = random.one(TYPES) if random.below(5) else [random.one(TYPES), random.one(TYPES)]
    if random.below(4) == 0:
        found['@id'] = random.one(['#p', '#q', 'http://made.example/#p'])
    if random.below(9) == 0:
        found['@graph'] = [value(random, depth + 1) for _ in range(random.below(4))]
    return found


METAS = ['author', 'date', 'description', 'keywords', 'robots', 'generator', 'dc.title', 'dc.creator', 'dc.date', 'dcterms.issued', 'dcterms.license', 'citation_author', 'citation_publication_date', 'parsely-author', 'parsely-pub-date', 'sailthru.date', 'og:title', 'og:type', 'og:site_name', 'og:locale',
         'og:image', 'og:image:alt', 'og:url', 'og:article:author', 'article:author', 'article:published_time', 'article:modified_time', 'article:tag', 'article:section', 'twitter:title', 'twitter:creator', 'twitter:image', 'last-modified', 'language', 'title', 'rating', 'copyright', 'publish-date', 'byl', 'news_keywords',
         'tdm-reservation', 'fb:app_id', 'book:isbn', 'og:', 'viewport']


def structured(random):
    head = ''
    for _ in range(random.below(9)):
        head += '<meta %s="%s" content="%s">' % (random.one(['name', 'property', 'name', 'itemprop', 'http-equiv']), random.one(METAS), random.one([date(random), random.one(NAMES), text(random, 5), random.one(PLAIN)]).replace('"', ''))
    for _ in range(random.below(3)):
        found = value(random, 0)
        words = json.dumps(found, ensure_ascii=random.below(2) == 0, indent=random.one([None, None, 1]))
        if random.below(8) == 0:
            words = random.one(['<!-- %s -->', '%s;', '// x\n%s', '/*<![CDATA[*/%s/*]]>*/', '[%s,]', '%s}', '\n\n%s\n', '[%s']) % words
        head += '<script type="application/ld+json">%s</script>' % words
    for _ in range(random.below(3)):
        head += '<link rel="%s" href="%s"%s>' % (random.one(['canonical', 'alternate', 'license', 'author', 'image_src', 'amphtml', 'icon', 'shortlink']), random.one(PLAIN), random.one(['', ' hreflang=fr', ' type="application/rss+xml"', ' title=x', ' media=print']))
    return '<html%s><head>%s<title>%s</title></head><body%s>%s<p>%s</body>' % (random.one(['', ' vocab="http://schema.org/"', ' prefix="x: http://x.example/"', ' itemscope']), head, text(random, 4), random.one(['', ' typeof="Article"', ' itemscope itemtype="http://schema.org/WebPage"']), items(random), text(random, 20))


def byline(random):
    """A headline, with names and dates near it."""
    title = text(random, 2 + random.below(7))
    lines = []
    for _ in range(1 + random.below(6)):
        words = random.one(['%n', '%d', 'By %n', 'Von %n', 'Par %n', 'Por %n', 'Text: %n', 'Written by %n', 'by %n | %d', '%n, %d', '%d by %n', 'Published %d', 'Updated: %d', 'Last modified on %d', 'Veröffentlicht am %d', 'Aktualisiert: %d', 'Posted on %d by %n', '%n · %d · 5 min read', 'Date: %d', 'Author: %n', 'Autor: %n',
                            'Foto: %n', '%n for the Made Times', 'Reviewed by %n on %d', 'Опубликовано %d', '発行日：%d', '作者：%n', 'نشر في %d', 'פורסם %d', 'เผยแพร่ %d', 'प्रकाशित %d', '%t', '%d %d', '%n and %n', '%n, %n and %n', 'Share', 'Edited by %n', 'First published %d. Last updated %d.'])
        words = re.sub('%[ndt]', lambda match: random.one(NAMES) if match.group() == '%n' else date(random) if match.group() == '%d' else text(random, 5), words)
        lines.append(random.one(['<p>%s</p>', '<div class="%c">%s</div>', '<span class="%c">%s</span>', '<p class="%c"><a rel=author href=/author/x>%s</a></p>', '<time datetime="2024-0%x-02">%s</time>', '<address>%s</address>', '<h2>%s</h2>', '<ul><li>%s</ul>', '<p><small>%s</small>', '<a href="/author/%x">%s</a>',
                                 '<span itemprop="author">%s</span>', '<div class="%c"><p>%s</p></div>', '<td>%s</td>', '<strong>%s</strong><br>'])
                     .replace('%c', random.one(['byline', 'author', 'date', 'published', 'entry-date', 'meta', 'post-meta', 'article__author', 'updated', 'contributor', 'name', 'posted-on', 'x', 'article-date', 'author-name', 'related'])).replace('%x', str(1 + random.below(9))) % words)
    at = random.below(len(lines) + 1)
    top, below = ''.join(lines[:at]), ''.join(lines[at:])
    head = random.one(['<h1>%s</h1>', '<h1 class=headline>%s</h1>', '<h2>%s</h2>', '<header><h1>%s</h1></header>', '<div class=title>%s</div>', '<h1><a href=/x>%s</a></h1>', '<h1>Made Site</h1><h1>%s</h1>']) % random.one([title, title, title.upper(), text(random, 5)])
    more = ''.join('<h2><a href=/a%d>%s</a></h2>%s<p>%s' % (i, text(random, 6), date(random), text(random, 12)) for i in range(random.one([0, 0, 0, 1, 4, 9])))
    before, after = chrome(random)
    return '<html lang=%s><title>%s%s</title>%s<article>%s%s%s<p>%s<p>%s</article>%s%s' % (
        random.one(['en', 'de', 'fr', 'es', 'ar', 'he', 'ja', 'ru', 'pt-BR']), title, random.one(['', ' | Made Site', ' - Made']), before, top, head, below, text(random, 60), text(random, random.below(60)), more, after)


SIGNS = ['*', '_', '`', '[', ']', '(', ')', '#', '+', '-', '.', '!', '|', '~', '>', '&lt;', '\\', '&amp;', '$', '^', '=', ':', '"', "'", '1.', '1)', '**', '__', '~~', '``', '---', '***', '===', '![', '](', '&amp;copy;', '&lt;b>', 'http://x.example/a_b', 'a*b', 'a_b_c', '5*3', '\n', ' ', '  ', '\t', '@', '{', '}', '/', '%',
         '\u00a0', 'é', '，', '。', '“', '”', '—', '😀', '\\*', '#!', '- [ ]', '+1', '2.5', '(a)', '[^1]', '[x]: y', 'www.x.example', '0. ', '10) ', ' #', '# ', '> ', '||', '$$', '\\(', '\\[']
INLINE = ['b', 'i', 'em', 'strong', 'code', 'a href="/l_*(x)"', 'a href="https://l.example/?a=[b]&c= d"', 'a', 'del', 's', 'sup', 'sub', 'kbd', 'span', 'u', 'mark', 'small', 'q', 'ins', 'cite', 'var', 'tt', 'samp', 'a title="t &quot;x&quot;" href=#y', 'span class=math', 'font', 'abbr title=z', 'label']


def inline(random, depth=0):
    out = ''
    for _ in range(1 + random.below(7)):
        kind = random.below(10)
        if kind < 4:
            out += ''.join(random.one(SIGNS + WORDS[:20]) + random.one(['', '', ' ']) for _ in range(1 + random.below(5)))
        elif kind < 6 or depth > 3:
            out += text(random, 1 + random.below(3)) + random.one(['', ' '])
        elif kind < 9:
            tag = random.one(INLINE)
            out += '<%s>%s%s%s</%s>' % (tag, random.one(['', '', ' ']), inline(random, depth + 1), random.one(['', '', ' ']), tag.split()[0])
        else:
            out += random.one(['<br>', '<img src="/i (1).png" alt="a]b*">', '<img alt=x src=https://i.example/y_z.png title="t">', '<wbr>', '<br><br>', '<input type=checkbox>', '<img src=z>', '&nbsp;', '<sup>[<a href=#n1>1</a>]</sup>', '<!-- c -->', '<span hidden>h</span>'])
    return out


def block(random, depth=0):
    kind = random.below(22)
    again = depth < 3
    if kind < 7 or not again:
        return random.one(['<p>%s</p>', '<p>%s', '<div>%s</div>', '<h%d>%%s</h1>' % (1 + random.below(6)), '%s', '<p align=center>%s']) % inline(random)
    inner = [block(random, depth + 1) if random.below(2) else inline(random) for _ in range(1 + random.below(4))]
    if kind < 11:
        name = random.one(['ul', 'ol', 'ol start=9', 'ol type=a', 'ol reversed', 'menu', 'ul class=task-list'])
        return '<%s>%s</%s>' % (name, ''.join('<li%s>%s' % (random.one(['', '', '', ' value=3', ' class=done', '><input type=checkbox checked']), part) for part in inner), name.split()[0])
    if kind < 14:
        rows = ''.join('<tr>%s' % ''.join('<t%s%s>%s' % (random.one('ddddh'), random.one(['', '', '', '', ' colspan=2', ' rowspan=2', ' align=right', ' style="text-align:center"']), block(random, 3) if random.below(9) else block(random, depth + 1)) for _ in range(1 + random.below(4))) for _ in range(1 + random.below(4)))
        return '<table%s>%s%s</table>' % (random.one(['', ' border=1', ' class=wikitable', ' role=presentation']), random.one(['', '', '<caption>%s</caption>' % inline(random, 3), '<thead><tr><th>A<th>B</thead>']), rows)
    if kind < 16:
        return '<blockquote>%s</blockquote>' % ''.join(inner)
    if kind < 18:
        return random.one(['<pre>%s</pre>', '<pre><code class="language-c">%s</code></pre>', '<pre class="brush: js">%s</pre>', '<div class=highlight><pre>\n%s</pre></div>', '<pre><code>%s</code></pre>', '<code><pre>%s\n</pre></code>']) % random.one(['x = "```"\n\n  y\n', inline(random, 3), 'int a;\n\tb\n~~~', '\n\nz', '`', ''])
    if kind < 19:
        return '<dl>%s</dl>' % ''.join(random.one(['<dt>%s', '<dd>%s']) % part for part in inner)
    if kind < 20:
        return '<figure><img src=/f.png alt="%s"><figcaption>%s</figcaption></figure>' % (text(random, 2), inline(random))
    if kind < 21:
        return random.one(['<hr>', '<details><summary>%s</summary>%s</details>' % (inline(random, 3), inner[0]), '<div class="admonition note"><p class=admonition-title>Note</p>%s</div>' % inner[0], '<div class="alert alert-info">%s</div>' % inner[0], '<section class=footnotes><ol><li id=n1>%s <a href=#r1>↩</a></ol></section>' % inner[0]])
    return random.one(['<div>%s</div>', '<section>%s</section>', '<div role=tabpanel>%s</div>', '<center>%s</center>', '<article>%s</article>']) % ''.join(inner)


def markdown(random):
    return '<title>%s</title><article><h1>%s</h1><p>%s%s</article>' % (text(random, 3), inline(random), text(random, 30), ''.join(block(random) for _ in range(2 + random.below(9))))


def mathml(random, depth=0):
    kind = random.below(26 if depth < 4 else 6)

    def some(count):
        return ''.join(mathml(random, depth + 1) for _ in range(count))
    leaf = random.one(['<mi>x</mi>', '<mi>sin</mi>', '<mi>α</mi>', '<mn>10</mn>', '<mo>+</mo>', '<mo>∑</mo>', '<mo>(</mo>', '<mo>)</mo>', '<mo>=</mo>', '<mo>∫</mo>', '<mi mathvariant="%s">R</mi>' % random.one(['bold', 'double-struck', 'script', 'fraktur', 'normal', 'monospace']), '<mtext>if a_b</mtext>', '<mo>&InvisibleTimes;</mo>',
                       '<mo>⟨</mo>', '<mo stretchy=false>|</mo>', '<mi>ℝ</mi>', '<mn>0.5</mn>', '<ms>s</ms>', '<mspace width="1em"/>', '<mo>→</mo>', '<mi>ab</mi>', '<mo>&lt;</mo>', '<mo>%</mo>', '<mi>#</mi>', '<mo>{</mo>', '<mo>′</mo>', '<mo>¯</mo>', '<mi></mi>', '<mo>lim</mo>', '<mi>∂</mi>', '<mo>…</mo>', '<mo>≠</mo>'])
    if kind < 6:
        return leaf
    if kind < 14:
        name, count = random.one([('mfrac', 2), ('msup', 2), ('msub', 2), ('msubsup', 3), ('munder', 2), ('mover', 2), ('munderover', 3), ('mroot', 2), ('mfrac linethickness=0', 2), ('mfrac bevelled=true', 2), ('mover accent=true', 2)])
        return '<%s>%s</%s>' % (name, some(count if random.below(12) else count + 1 - random.below(3)), name.split()[0])
    if kind < 19:
        name = random.one(['mrow', 'msqrt', 'mstyle displaystyle=true', 'mpadded', 'mphantom', 'menclose notation=box', 'menclose notation=updiagonalstrike', 'mfenced', 'mfenced open="[" close="]" separators=";"', 'mfenced open="" close="|"', 'merror', 'mrow class="MJX-TeXAtom-ORD"', 'mstyle mathcolor=red'])
        return '<%s>%s</%s>' % (name, some(1 + random.below(4)), name.split()[0])
    if kind < 21:
        rows = ''.join('<mtr>%s</mtr>' % ''.join('<mtd>%s</mtd>' % some(1) for _ in range(1 + random.below(3))) for _ in range(1 + random.below(3)))
        return random.one(['<mtable>%s</mtable>', '<mrow><mo>(</mo><mtable>%s</mtable><mo>)</mo></mrow>', '<mrow><mo>{</mo><mtable columnalign="left left">%s</mtable></mrow>', '<mfenced open="[" close="]"><mtable>%s</mtable></mfenced>']) % rows
    if kind < 22:
        return '<mmultiscripts>%s<none/>%s<mprescripts/>%s</mmultiscripts>' % (some(1), some(1), some(2))
    if kind < 23:
        return '<semantics>%s<annotation encoding="%s">\\frac{a}{b}</annotation></semantics>' % (some(1), random.one(['application/x-tex', 'TeX', 'text/plain']))
    return some(2)


TEX = ['\\frac{a}{b}', 'x^2', 'a_{i,j}', '\\alpha', '\\text{if } $x$', '\\begin{matrix}a&b\\\\c\\end{matrix}', '\\left( x \\right)', '{', '}', '\\$', '%', '$', '\\(', '\\)', '\\sum_{i=0}^n', ' ', '\n', '5', '*', '_', '<', '&amp;', '\\', '\\mathbb{R}', 'é', '\\ce{H2O}', '^', '\\\\']


def formula(random):
    out = ''
    for _ in range(2 + random.below(6)):
        words = ''.join(random.one(TEX) for _ in range(1 + random.below(6)))
        mark = random.one(['\\(%s\\)', '$%s$', '$$%s$$', '\\[%s\\]', '<span class="math inline">\\(%s\\)</span>', '<script type="math/tex">%s</script>', '<script type="math/tex; mode=display">%s</script>', '<img class=latex alt="%s" src=/latex.php>', '<img alt="\\( %s \\)" src="/i.png" class="mwe-math-fallback-image-inline">',
                           '<span class=katex data-latex="%s">k</span>', '<math alttext="%s"><mi>q</mi></math>', '[latex]%s[/latex]', '<span class="MathJax" data-mathml="x">%s</span>', '\\begin{equation}%s\\end{equation}', '$ %s $', '`$%s$`', '<code>$%s$</code>', '<div class="math-display">%s</div>', '<mjx-container>%s</mjx-container>'])
        if random.below(2):
            mark = '<math%s>%%s</math>' % random.one(['', ' display=block', ' display="inline"', ' mode=display', ' overflow=scroll'])
            words = ''.join(mathml(random) for _ in range(1 + random.below(3)))
        out += random.one(['<p>%s %s and %s', '<p>%.0s%s%.0s', '<div>%s %s, %s</div>', '<td>%s %s %s', '<h2>%s %s %s</h2>', '<li>%s %s. %s']) % (text(random, 4), mark.replace('%s', words, 1), text(random, 3))
    return '<title>Formulas</title><article><h1>Formulas</h1><p>%s%s<p>%s</article>' % (text(random, 40), out, text(random, 20))


def address(random):
    out = random.one(['http://', 'https://', 'HTTP://', '//', '', '', '', 'mailto:', 'ftp://', 'http:', 'https:/', 'javascript:', 'tel:', ' http://', 'data:', 'file:///'])
    if out.strip().endswith('//') or random.below(9) == 0:
        out += random.one(['', '', '', 'u:p@', '@']) + random.one(['a.example', 'WWW.B.Example', 'made.example', 'xn--bcher-kva.example', 'bücher.example', '192.0.2.1', '[2001:DB8:0::1]', '0x7f.1', 'a..b', 'c.example.', '256.1.1.1', 'a_b.example', '%41.example', 'ａ.example', '1.2.3', '[::1', 'a b']) + random.one(['', '', '', ':80', ':443', ':8080', ':', ':99999', ':x'])
    for _ in range(random.below(5)):
        out += random.one(['/', '/', '', '\\']) + random.one(['a', 'b.html', '..', '.', '%2e%2E', '', 'ä', 'x y', '%zz', '%41', 'c;d=e', '~u', 'a:b', '\t', '|', '{z}', "'", '%', '…'])
    return out + random.one(['', '', '?', '?a=b&c=d', '?x=ä ö', '?q=%20+', '??', "?'<"]) + random.one(['', '', '', '#', '#f', '#a b', '#ü', '#x#y'])


def links(random):
    base = random.one(['', '', '<base href="%s">' % address(random), '<base target=_top>'])
    out = ''
    for _ in range(3 + random.below(12)):
        found = address(random).replace('"', '')
        out += random.one(['<a href="%s">%s</a> ', '<a href="%s" rel="nofollow">%s</a>', '<p><a href="%s">%s</a> and more', '<li><a href="%s">%s</a>', '<a href="%s" title="t">%s</a><br>', '<img src="%s" alt="%s">', '<a href="%s"><img src=/i alt="%s"></a>', '<area href="%s" alt="%s">', '<iframe src="%s"></iframe>%s', '<form action="%s">%s</form>',
                           '<blockquote cite="%s">%s</blockquote>', '<a ping=x href="%s">%s', '<img srcset="%s 1x" alt="%s">', '<link rel=canonical href="%s"><b>%s</b>']) % (found, random.one([text(random, 3), found.replace('<', ''), '']))
    return '<head>%s<title>Links</title></head><article><p>%s%s</article>' % (base, text(random, 25), out)


def personal(random):
    out = ''
    for _ in range(4 + random.below(12)):
        kind = random.below(4)
        if kind == 0:
            found = random.one(['ada', 'a.b', 'a+b', '_x', 'é', 'a..b', '.a', 'A-1', 'very.long.' * 8 + 'x', '"q"', 'a%b']) + random.one(['@', '@', '@', ' @ ', '@@', '(at)', '&#64;', '%40']) + random.one(['b.example', 'mail.made.example', 'x', 'b.', '1.2', 'b-.example', 'ü.example', 'b.example.', 'c.co.uk', '[1.2.3.4]', 'b_c.example', 'b.c-d'])
        elif kind == 1:
            found = random.one(['+49 30 %s', '(030) %s', '+1-%s', '1 %s', '00 44 %s', '%s', '+%s', 'tel:%s', '+49(0)%s']) % random.one([' ', '-', '.', '', '/', '\u00a0', '–']).join(str(random.below(10 ** (2 + random.below(4)))) for _ in range(1 + random.below(4)))
        elif kind == 2:
            found = '.'.join(str(random.below(random.one([300, 256, 10]))) for _ in range(random.one([4, 4, 4, 3, 5])))
        else:
            found = ':'.join(random.one(['2001', 'db8', '0', 'ffff', '', '1', 'fe80', '12345', 'g']) for _ in range(2 + random.below(8)))
        if random.below(3) == 0 and len(found) > 3:  # a part of it has another style
            start = random.below(len(found) - 2)
            end, tag = start + 1 + random.below(len(found) - start - 1), random.one(['b', 'i', 'code', 'a href=/y', 'sup', 'span'])
            found = '%s<%s>%s</%s>%s' % (found[:start], tag, found[start:end], tag.split()[0], found[end:])
        out += random.one(['<p>%s</p>', '<p>%s and ', ' %s, ', '<b>%s</b>', '<a href="mailto:%s">mail</a>', '<a href="/x?u=%s">l</a>', '(%s)', '"%s"', '%s.', 'x%s', '%sx', '<code>%s</code>', '<pre>%s\n</pre>', '<i>%s</i><br>', '<td>%s</td>', '<h2>%s</h2>', '<img alt="%s" src=/i>', ' %s <img alt=z src=/j> ', '<li>%s', '<math><mi>x</mi></math>%s ', '<span title="%s">t</span>',
                           ':%s', '%s:80', 'v%s', '<cite>%s</cite>']).replace('%s', found)
    return '<title>%s</title><meta name=description content="Write to ada@made.example or 192.0.2.%d"><meta name=author content="bob@made.example"><article><h1>Contact %d</h1><p>%s%s<p>%s</article>' % (text(random, 2), random.below(300), random.below(99), text(random, 25), out, text(random, 9))


def sections(random):
    """Headings, paragraphs, lists of links, and parts that are content or not."""
    def part(depth):
        kind = random.below(16)
        heading = random.one(['Ingredients', 'Zutaten:', 'Comments', 'Related articles', 'About the author', 'References', 'Share this', 'Instructions', 'Contents', 'Abstract', text(random, 3), text(random, 7), 'See also', 'Tags', 'Newsletter', 'FAQ', 'Ingrédients pour 4', 'Reviews (3)'])
        rank = 1 + random.below(6)
        inner = ''.join(part(depth + 1) for _ in range(1 + random.below(4))) if depth < 3 and kind < 6 else ''
        if kind < 6 and inner:
            return '<%s%s>%s%s</%s>' % ((lambda tag: (tag, random.one(['', ' class="%s"' % random.one(['content', 'sidebar', 'entry', 'comments', 'related', 'footer', 'post', 'promo', 'main', 'recipe', 'share', 'tags', 'ad', 'nav']), ' id=%s' % random.one(['main', 'comments', 'nav', 'x'])]), '<h%d>%s</h%d>' % (rank, heading, rank) if random.below(2) else '', inner, tag))(random.one(['div', 'section', 'article', 'aside', 'main', 'nav', 'footer', 'div', 'form'])))
        if kind < 9:
            return ''.join('<p>%s</p>' % text(random, random.one([2, 6, 15, 40, 90])) for _ in range(1 + random.below(4)))
        if kind < 11:
            return '<ul>%s</ul>' % ''.join('<li><a href=/%d>%s</a>' % (i, text(random, 1 + random.below(6))) for i in range(1 + random.below(9)))
        if kind < 12:
            return '<h%d>%s</h%d><ul>%s</ul>' % (rank, heading, rank, ''.join('<li>%s %s of %s' % (random.one(['2 cups', '1 tbsp', '200 g', '½', 'a pinch', '3', '100ml', '2–3']), random.one(WORDS), random.one(WORDS)) for _ in range(2 + random.below(7))))
        if kind < 13:
            return '<h%d>%s</h%d>' % (rank, heading, rank)
        if kind < 14:
            return '<table>%s</table>' % ''.join('<tr><td>%s<td>%s' % (text(random, 2), text(random, random.one([1, 20]))) for _ in range(1 + random.below(5)))
        if kind < 15:
            return random.one(['<p><a href=/a>%s</a> | <a href=/b>More</a>', '<div>%s <a href=/m>Read more</a></div>', '<p><b>%s</b>', '<p><i>%s</i>', '<button>%s</button>', '<label>%s</label><input>', '<p>© 2024 %s', '<p hidden>%s', '<figure><img src=/i.png alt=z><figcaption>%s</figcaption></figure>']) % text(random, random.one([3, 12]))
        return '<div class="comment">%s<p>%s</p></div>' % (random.one(NAMES), text(random, 14))
    before, after = chrome(random)
    return '<html lang=%s><title>%s</title>%s<h1>%s</h1>%s%s' % (random.one(['en', 'de', 'ja', '']), text(random, 5), before, text(random, 5), ''.join(part(0) for _ in range(2 + random.below(7))), after)


SUBJECTS = {'software': (software, 200), 'group': (group, 200), 'structured': (structured, 120), 'byline': (byline, 150), 'markdown': (markdown, 150), 'formula': (formula, 80), 'links': (links, 80), 'personal': (personal, 80), 'sections': (sections, 120)}
FIELDS = ['Content-Type', 'content-type', 'Content-Encoding', 'Content-Length', 'Transfer-Encoding', 'Content-Language', 'X-Robots-Tag', 'Link', 'Last-Modified', 'Location', 'Content-Usage', 'tdm-reservation', 'Date', 'Server', 'X-Archive-Orig-Content-Type', 'Set-Cookie', 'Content-Location', 'Content-Disposition', '', ' Bad', 'Bad ']
VALUES = ['text/html', 'text/html; charset=utf-8', 'TEXT/HTML;CHARSET="windows-1252"', 'application/xhtml+xml', 'text/plain', 'image/png', 'identity', 'gzip', 'chunked', 'de, en', 'noindex', 'otherbot: noai, nofollow', '<https://creativecommons.org/licenses/by/4.0/>; rel=license', '</c>; rel="canonical"', 'Wed, 21 Oct 2015 07:28:00 GMT', '/elsewhere', '0', '12',
          '99999999999999999999', '', ' ', '\x80\xff', '"', ';', ',,', 'text/html; charset=', 'text/html;; x=y; charset=koi8-r', 'train-ai=n', '1', 'x' * 300, 'utf-8', 'attachment; filename=a.html', 'unavailable_after: 2030-01-01']


def head(random):
    out = random.one(['HTTP/1.1 200 OK', 'HTTP/1.0 200', 'HTTP/1.1 301 Moved', 'HTTP/1.1 404 Not Found', 'HTTP/1.1 2000 X', 'HTTP/2 204', 'ICY 200 OK', 'HTTP/1.1', 'http/1.1 200 ok', 'HTTP/1.1  200  OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 200 OK']) + random.one(['\r\n', '\r\n', '\r\n', '\n'])
    for _ in range(random.below(7)):
        out += random.one(FIELDS) + random.one([': ', ':', ' : ', ':\t', '', ': ', ': ']) + random.one(VALUES) + random.one(['', '', '', ';' + random.one(VALUES), '\r\n ' + random.one(VALUES)]) + random.one(['\r\n', '\r\n', '\r\n', '\n', '\r'])
    return out + random.one(['\r\n', '\r\n', '\r\n', '\n', ''])


def archive():
    out = []
    for subject, (make, count) in SUBJECTS.items():
        for number in range(count):
            random = Random('made %s %d' % (subject, number))
            page, name = make(random), '%s.%d' % (subject, number % PARTS)
            url = 'http://%s/%s/%s' % (random.one(['made.example', 'www.made.example', 'forum.made.example', 'blog.made.example']), random.one(['x', '2024/05/06', 'forum/topic', 'questions/5', 'recipes', 'category']), 'mixed~%s~%d' % (name, number))
            out.append((name, mixed_pages.record(random, url, b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n' + page.encode('utf-8', 'replace'))))
    for number in range(200):
        random = Random('made http %d' % number)
        name = 'http.%d' % (number % PARTS)
        body = random.one([b'<p>A page of some words, which says it all.', b'', b'5\r\n<p>ab\r\n0\r\n\r\n', 'Ein Größenverhältnis, ja'.encode('latin-1'), 'страница из слов'.encode('koi8-r'), b'\xef\xbb\xbf<title>t</title>words', b'plain\n\nwords'])
        out.append((name, mixed_pages.record(random, 'http://made.example/mixed~%s~%d' % (name, number), head(random).encode('latin-1') + body)))
    return out


def main(args):
    program = os.path.abspath(args[-1])
    pages = archive()
    mixed_pages.RUNS = RUNS
    if args[0] == '--write':
        args[1] = os.path.abspath(args[1])
        os.makedirs(args[1], exist_ok=True)
        for run, parts in mixed_pages.written(program, pages, args[1]).items():
            with open(os.path.join(args[1], run), 'wb') as out:
                out.write(b''.join(parts))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        rows = mixed_pages.digests(mixed_pages.written(program, pages, folder), pages)
    return settle(KEPT, rows, args[0] == '--accept')


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))

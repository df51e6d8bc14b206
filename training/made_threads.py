#!/usr/bin/env python3
"""
Writes pages after the templates of blogs, shops and forums: short and long posts with few and hundreds of comments, threads
with as many posts. The benchmarks have nearly no short post with hundreds of comments, so a model takes one for a thread.

    made_threads.py FOLDER        writes FOLDER/pages.jsonl.gz, the same bytes each time

The pages of a template have one host, so that folds of sites part templates. The gold of a page with comments is the post;
of a thread it is all posts. The words have no meaning.
"""
import gzip
import json
import os
import random
import sys

COUNTS = (4, 25, 90, 300)      # of comments and posts
PARAGRAPHS = (1, 3, 9)         # of the post above them
WORDS = """the river market council winter bread engine paper garden signal teacher window coffee mountain letter bridge
cable station morning lesson answer number system problem driver kernel update screen battery road green little early never
quite maybe really should would could think found tried after before because although still works fails better worse people
city water light summer music price order street house small large young public private simple long short first second last
reason result change report study season game team player doctor school company office worker paint wood metal stone glass
train plane ticket hotel beach forest animal bird fish tree flower color sound voice story idea""".split()


class Writer:
    """Random text, the same for a name."""

    def __init__(self, name):
        self.random = random.Random(name)

    def sentence(self, least=5, most=18):
        words = [self.random.choice(WORDS) for _ in range(self.random.randint(least, most))]
        return " ".join(words).capitalize() + self.random.choice(".....?!")

    def text(self, least=1, most=4):
        return " ".join(self.sentence() for _ in range(self.random.randint(least, most)))

    def name(self):
        return self.random.choice(WORDS).capitalize() + self.random.choice(["", str(self.random.randint(1, 99)), " " + self.random.choice(WORDS).capitalize()])

    def date(self):
        return "%s %d, 20%02d" % (self.random.choice("January March May July August October".split()), self.random.randint(1, 28), self.random.randint(8, 24))


MENU = "<ul>" + "".join("<li><a href=/%s>%s</a></li>" % (word, word.capitalize()) for word in ("home", "about", "archive", "contact", "subscribe")) + "</ul>"


def page(title, body, classes="", head=""):
    return ("<!doctype html><html><head><meta charset=utf-8><title>%s</title>%s</head><body class=\"%s\"><header id=header><a href=/>Home</a><nav>%s</nav></header>"
            "%s<footer id=footer><p>Copyright. All rights reserved. <a href=/privacy>Privacy</a></p></footer></body></html>") % (title, head, classes, MENU, body)


# ---- posts with comments: (writer, title, paragraphs, comments) -> HTML -------------------

def wordpress(w, title, post, comments):
    items = "".join('<li class="comment even thread-even depth-1" id="comment-%d"><article id="div-comment-%d" class="comment-body"><footer class="comment-meta"><div class="comment-author vcard"><b class="fn">%s</b> <span class="says">says:</span></div>'
                    '<div class="comment-metadata"><a href="#comment-%d"><time>%s at 10:12</time></a></div></footer><div class="comment-content"><p>%s</p></div><div class="reply"><a rel=nofollow href="#respond">Reply</a></div></article></li>'
                    % (i, i, w.name(), i, w.date(), text) for i, text in enumerate(comments))
    return page(title, '<main id="main" class="site-main"><article id="post-1" class="post hentry"><header class="entry-header"><h1 class="entry-title">%s</h1><div class="entry-meta">%s</div></header><div class="entry-content">%s</div></article>'
                '<div id="comments" class="comments-area"><h2 class="comments-title">%d thoughts on “%s”</h2><ol class="comment-list">%s</ol><div id="respond" class="comment-respond"><h3 class="comment-reply-title">Leave a Reply</h3><form><p class="comment-notes">Your email address will not be published.</p><textarea></textarea></form></div></div></main>'
                % (title, w.date(), paragraphs(post), len(comments), title, items), "single single-post postid-1", '<meta name=generator content="WordPress 6.4"><meta property="og:type" content="article">')


def wordpress_old(w, title, post, comments):
    items = "".join('<li class="alt" id="comment-%d"><cite>%s</cite> Says:<br><small class="commentmetadata"><a href="#comment-%d">%s</a></small><p>%s</p></li>' % (i, w.name(), i, w.date(), text) for i, text in enumerate(comments))
    return page(title, '<div id="content" class="widecolumn"><div class="post" id="post-9"><h2>%s</h2><div class="entry">%s<p class="postmetadata">This entry was posted on %s.</p></div></div><h3 id="comments">%d Responses to “%s”</h3><ol class="commentlist">%s</ol><h3 id="respond">Leave a Reply</h3><form id="commentform"></form></div>'
                % (title, paragraphs(post), w.date(), len(comments), title, items), "")


def blogger(w, title, post, comments):
    items = "".join('<li class="comment" id="c%d"><div class="avatar-image-container"></div><div class="comment-block"><div class="comment-header"><cite class="user">%s</cite><span class="datetime secondary-text"><a href=#c%d>%s</a></span></div><p class="comment-content">%s</p><span class="comment-actions secondary-text"><a>Reply</a></span></div></li>'
                    % (i, w.name(), i, w.date(), text) for i, text in enumerate(comments))
    return page(title, '<div class="main section" id="main"><div class="blog-posts hfeed"><div class="date-outer"><h2 class="date-header">%s</h2><div class="post hentry uncustomized-post-template"><h3 class="post-title entry-title">%s</h3><div class="post-body entry-content">%s</div><div class="post-footer">Posted by %s at 10:00</div></div><div class="comments" id="comments"><h4>%d comments:</h4><div class="comments-content"><ol id="top-ra">%s</ol></div></div></div></div></div>'
                % (w.date(), title, "<br><br>".join(post), w.name(), len(comments), items), "item-view", '<meta content="blogger" name="generator">')


def newspaper(w, title, post, comments):
    items = "".join('<div class="comment-item"><div class="comment-item__header"><span class="comment-item__author">%s</span><span class="comment-item__time">%s</span></div><div class="comment-item__body"><p>%s</p></div><button>Recommend</button><button>Reply</button></div>' % (w.name(), w.date(), text) for text in comments)
    return page(title, '<main><article class="story"><h1>%s</h1><div class="byline">By %s, %s</div><div class="story-body">%s</div></article><section id="comments" class="story-comments"><h2>Comments (%d)</h2><div class="comment-items">%s</div></section></main>'
                % (title, w.name(), w.date(), paragraphs(post), len(comments), items), "article-page", '<script type="application/ld+json">{"@type":"NewsArticle","headline":"x"}</script>')


def drupal(w, title, post, comments):
    items = "".join('<a id="comment-%d"></a><article class="comment js-comment by-anonymous"><footer class="comment__meta"><p class="comment__author">%s</p><p class="comment__time">%s</p></footer><div class="comment__content"><h3><a href="#comment-%d">%s</a></h3><div class="field--name-comment-body"><p>%s</p></div><ul class="links inline"><li><a>Log in to post comments</a></li></ul></div></article>'
                    % (i, w.name(), w.date(), i, w.sentence(2, 4), text) for i, text in enumerate(comments))
    return page(title, '<div class="layout-container"><article class="node node--type-blog"><h2>%s</h2><div class="node__content"><div class="field--name-body">%s</div></div><section class="comment-wrapper"><h2 class="title">Comments</h2>%s</section></article></div>' % (title, paragraphs(post), items), "path-node")


def movable_type(w, title, post, comments):
    items = "".join('<div class="comments-body"><p>%s</p><p class="comments-post">Posted by: <a>%s</a> at %s</p></div>' % (text, w.name(), w.date()) for text in comments)
    return page(title, '<div id="center"><div class="content"><h3 id="a1">%s</h3>%s<p class="posted">Posted by %s at %s</p><h2 id="comments">Comments</h2>%s<h2>Post a comment</h2></div></div>' % (title, paragraphs(post), w.name(), w.date(), items))


def plain_replies(w, title, post, comments):
    items = "".join('<div class="c-row"><div class="c-user">%s</div><div class="c-time">2 days ago</div><div class="c-text">%s</div><button>Like</button></div>' % (w.name(), text) for text in comments)
    return page(title, '<article><h1>%s</h1><div class="text">%s</div></article><section class="replies" id="replies"><h3>Replies (%d)</h3>%s</section>' % (title, paragraphs(post), len(comments), items))


def video(w, title, post, comments):
    items = "".join('<li class="comments-list__item"><div class="comments-list__user">%s</div><div class="comments-list__text">%s</div><a>Reply</a> <a>Report</a></li>' % (w.name(), text) for text in comments)
    return page(title, '<div class="player"><h1>%s</h1><p class="views">12,043 views</p></div><div class="description">%s</div><div class="comments" data-widget="comments"><div class="comments-header">%d Comments</div><ul class="comments-list">%s</ul></div>' % (title, paragraphs(post), len(comments), items), "watch")


def static_site(w, title, post, comments):
    items = "".join('<div class="comment" id="isso-%d"><div class="text-wrapper"><div class="comment-header"><span class="author">%s</span> • <a><time>%s</time></a></div><div class="text"><p>%s</p></div><div class="comment-footer"><a class="reply">Reply</a></div></div></div>' % (i, w.name(), w.date(), text) for i, text in enumerate(comments))
    return page(title, '<div class="container"><h1 class="post-title">%s</h1><div class="post-date">%s</div>%s<div class="post-tags"><a>music</a> <a>paper</a></div><div id="disqus"><h4>%d Comments</h4><div id="isso-root">%s</div></div></div>' % (title, w.date(), paragraphs(post), len(comments), items))


# ---- threads: (writer, title, posts) -> HTML -----------------------------------------------

def phpbb(w, title, posts):
    items = "".join('<div id="p%d" class="post has-profile bg%d"><div class="inner"><dl class="postprofile" id="profile%d"><dt class="has-profile-rank"><a href="#u" class="username">%s</a></dt><dd class="profile-posts"><strong>Posts:</strong> <a href="#s">%d</a></dd><dd class="profile-joined"><strong>Joined:</strong> %s</dd></dl>'
                    '<div class="postbody"><div id="post_content%d"><h3><a href="#p%d">Re: %s</a></h3><p class="author">by <strong>%s</strong> » %s</p><div class="content">%s</div></div></div></div></div><hr class="divider">'
                    % (i, i % 2 + 1, i, w.name(), i * 7, w.date(), i, i, title, w.name(), w.date(), text) for i, text in enumerate(posts))
    return page(title, '<div id="wrap" class="wrap"><div id="page-body" class="page-body" role="main"><h2 class="topic-title"><a href="#t">%s</a></h2>%s<p class="jumpbox-return"><a href="#b">Return to General</a></p></div></div>' % (title, items), "nojs notouch section-viewtopic ltr")


def vbulletin(w, title, posts):
    items = "".join('<table id="post%d" class="tborder" cellpadding=6><tr><td class="thead"><a name="post%d">%s, 10:12 AM</a></td></tr><tr valign=top><td class="alt2"><div id="postmenu_%d"><a class="bigusername" href="#m">%s</a></div><div class="smallfont">Senior Member</div><div class="smallfont">Posts: %d</div></td><td class="alt1" id="td_post_%d"><div id="post_message_%d">%s</div></td></tr></table>'
                    % (i, i, w.date(), i, w.name(), i * 3, i, i, text) for i, text in enumerate(posts))
    return page(title, '<div class="page"><table class="tborder"><tr><td class="navbar"><strong>%s</strong></td></tr></table><div id="posts">%s</div></div>' % (title, items), "", '<meta name=generator content="vBulletin 3.8.4">')


def xenforo(w, title, posts):
    items = "".join('<article class="message message--post js-post" data-author="%s" id="js-post-%d"><div class="message-inner"><div class="message-cell message-cell--user"><section class="message-user"><h4 class="message-name"><a class="username">%s</a></h4><h5 class="userTitle message-userTitle">Member</h5></section></div>'
                    '<div class="message-cell message-cell--main"><div class="message-main"><header class="message-attribution"><time>%s</time> <a>#%d</a></header><div class="message-content"><div class="message-userContent"><article class="message-body js-selectToQuote"><div class="bbWrapper">%s</div></article></div></div><footer class="message-footer"><a>Like</a> <a>Reply</a></footer></div></div></div></article>'
                    % (w.name(), i, w.name(), w.date(), i + 1, text) for i, text in enumerate(posts))
    return page(title, '<div class="p-body"><h1 class="p-title-value">%s</h1><div class="block block--messages"><div class="block-container lbContainer"><div class="block-body js-replyNewMessageContainer">%s</div></div></div></div>' % (title, items), "xf")


def links_site(w, title, posts):
    items = "".join('<tr class="athing comtr" id=%d><td><table><tr><td class="ind"></td><td class="default"><div><span class="comhead"><a class="hnuser">%s</a> <span class="age">2 days ago</span> | <a>prev</a> <a>next</a></span></div><br><div class="comment"><div class="commtext c00">%s</div><div class="reply"><u><a>reply</a></u></div></div></td></tr></table></td></tr>'
                    % (i, w.name(), text) for i, text in enumerate(posts))
    return ('<html><head><title>%s</title></head><body><center><table id="hnmain"><tr><td><span class="pagetop"><b><a>Links</a></b> <a>new</a> | <a>past</a> | <a>comments</a> | <a>ask</a></span></td></tr><tr><td><table class="fatitem"><tr class="athing"><td class="title"><span class="titleline"><a>%s</a></span></td></tr><tr><td class="subtext">120 points by <a>%s</a> | <a>%d comments</a></td></tr></table><br><table class="comment-tree">%s</table></td></tr></table></center></body></html>'
            % (title, title, w.name(), len(posts), items))


def answers(w, title, posts):
    items = "".join('<div id="answer-%d" class="answer js-answer"><div class="post-layout"><div class="votecell"><div class="js-vote-count">%d</div></div><div class="answercell post-layout--right"><div class="s-prose js-post-body" itemprop="text"><p>%s</p></div><div class="user-info"><div class="user-action-time">answered %s</div><div class="user-details"><a>%s</a></div></div></div></div></div>'
                    % (i, i % 9, text, w.date(), w.name()) for i, text in enumerate(posts[1:]))
    return page(title, '<div id="content"><div id="question-header"><h1><a class="question-hyperlink">%s</a></h1></div><div id="mainbar" role="main"><div class="question" id="question"><div class="post-layout"><div class="votecell">5</div><div class="postcell"><div class="s-prose js-post-body" itemprop="text"><p>%s</p></div></div></div></div><div id="answers"><h2>%d Answers</h2>%s</div></div></div>'
                % (title, posts[0], len(posts) - 1, items), "question-page unified-theme", '<script type="application/ld+json">{"@type":"QAPage"}</script>')


def discourse(w, title, posts):
    items = "".join('<div id="post_%d" itemprop="comment" itemscope itemtype="http://schema.org/Comment" class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator" itemprop="author"><a><span itemprop="name">%s</span></a></span><span class="crawler-post-infos"><time>%s</time><span itemprop="position">%d</span></span></div><div class="post" itemprop="text"><p>%s</p></div><div class="crawler-post-likes">2 Likes</div></div>'
                    % (i, w.name(), w.date(), i, text) for i, text in enumerate(posts))
    return page(title, '<div id="main-outlet" class="wrap" role="main"><div id="topic-title"><h1><a href="#t">%s</a></h1></div><div itemscope itemtype="http://schema.org/DiscussionForumPosting">%s</div></div>' % (title, items), "crawler", '<meta name="generator" content="Discourse 3.1">')


def simple_machines(w, title, posts):
    items = "".join('<div class="windowbg" id="msg%d"><div class="post_wrapper"><div class="poster"><h4><a>%s</a></h4><ul><li class="membergroup">Newbie</li><li class="postcount">Posts: %d</li></ul></div><div class="postarea"><div class="keyinfo"><h5 id="subject_%d"><a>Re: %s</a></h5><div class="smalltext">« Reply #%d on: %s »</div></div><div class="post"><div class="inner" id="msg_%d">%s</div></div></div></div></div>'
                    % (i, w.name(), i, i, title, i, w.date(), i, text) for i, text in enumerate(posts))
    return page(title, '<div id="content_section"><div id="main_content_section"><div class="cat_bar"><h3 class="catbg">Topic: %s (Read 1034 times)</h3></div><div id="forumposts"><form>%s</form></div></div></div>' % (title, items), "", "<meta name=generator content=SMF>")


def mailing_list(w, title, posts):
    items = "".join('<div class="email"><div class="email-header"><span class="email-author"><b>%s</b></span> <span class="email-date">%s</span></div><div class="email-body"><pre>%s</pre></div><div class="email-info"><a>Reply</a> <a>attachment</a></div></div>' % (w.name(), w.date(), text) for text in posts)
    return page(title, '<div class="container"><div class="thread"><div class="thread-header"><h1>%s</h1><p>%d participants</p></div><div class="thread-content">%s</div></div></div>' % (title, len(posts), items), "list")


def first_post_apart(w, title, posts):
    items = "".join('<li class="Item ItemComment" id="Comment_%d"><div class="Comment"><div class="Item-Header CommentHeader"><span class="Author"><a class="Username">%s</a></span><span class="MItem DateCreated"><a><time>%s</time></a></span></div><div class="Item-BodyWrap"><div class="Item-Body"><div class="Message userContent">%s</div></div></div></div></li>'
                    % (i, w.name(), w.date(), text) for i, text in enumerate(posts[1:]))
    return page(title, '<div id="Content"><div id="Item_0" class="PageTitle"><h1>%s</h1></div><div id="Discussion_9" class="Item ItemDiscussion"><div class="Discussion"><div class="Item-Header DiscussionHeader"><span class="Author"><a class="Username">%s</a></span></div><div class="Item-BodyWrap"><div class="Item-Body"><div class="Message userContent">%s</div></div></div></div></div><div class="CommentsWrap"><h2 class="CommentHeading">Comments</h2><ul class="MessageList DataList Comments">%s</ul></div></div>'
                % (title, w.name(), posts[0], items), "Vanilla Discussion isDesktop", '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>')


BLOGS = (wordpress, wordpress_old, blogger, newspaper, drupal, movable_type, plain_replies, video, static_site)
THREADS = (phpbb, vbulletin, xenforo, links_site, answers, discourse, simple_machines, mailing_list, first_post_apart)


def paragraphs(texts):
    return "".join("<p>%s</p>" % text for text in texts)


def pages():
    for template in BLOGS:
        for length in PARAGRAPHS:
            for count in COUNTS:
                name = "%s-%d-%d" % (template.__name__, length, count)
                w = Writer(name)
                title, post = w.sentence(3, 7)[:-1], [w.text(3, 5) for _ in range(length)]
                html = template(w, title, post, [w.text() for _ in range(count)])
                yield made(name, template, html, post, "article")
    for template in THREADS:
        for part in range(len(PARAGRAPHS)):
            for count in COUNTS:
                name = "%s-%d-%d" % (template.__name__, part, count)
                w = Writer(name)
                title, posts = w.sentence(3, 7)[:-1], [w.text(1, 3 + 2 * part) for _ in range(count)]
                yield made(name, template, template(w, title, posts), posts, "forum")


def made(name, template, html, gold, page_type):
    host = template.__name__.replace("_", "-") + ".example"
    return dict(id=name, url="http://%s/%s" % (host, name.rsplit("-", 1)[1]), html=html, encoding="utf-8", gold_text="\n".join(gold), page_type=page_type, lang="")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__.strip())
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "pages.jsonl.gz"), "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        for made_page in pages():
            packed.write((json.dumps(made_page, ensure_ascii=False) + "\n").encode())


if __name__ == "__main__":
    main()

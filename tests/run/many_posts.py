"""A short post with 300 comments has no comment in its text, and a thread of 300 posts has all posts. With --comments the text has all comments.

The templates are after real ones (WordPress, Blogger, phpBB, XenForo) and two without a known program. The words are random, from the words of
archive.py, which training/made_threads.py does not use.
"""
import json
import os
import random
import tempfile

import archive
from case import expect, thresher

COUNT = 300
FRAME = ('<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>%s</title></head><body class="%s"><header><nav><ul><li><a href="/">Home</a>'
         '<li><a href="/about">About us</a><li><a href="/archive">Archive</a></ul></nav></header>%s<footer><p>All rights reserved. '
         '<a href="/privacy">Privacy</a></footer></body></html>')


def name(rng):
    return rng.choice(archive.WORDS).capitalize() + str(rng.randint(1, 99))


def wordpress(rng, title, post, comments):
    items = ''.join('<li id="comment-%d" class="comment byuser depth-1"><div class="comment-body"><div class="comment-author vcard"><cite class="fn">%s</cite></div>'
                    '<div class="comment-meta"><a href="#c%d">May %d, 2019 at 9:41 am</a></div><p>%s</p><div class="reply"><a href="#r">Reply</a></div></div></li>'
                    % (i, name(rng), i, i % 28 + 1, text) for i, text in enumerate(comments))
    return FRAME % (title, 'single single-post', '<main id="primary"><article class="post hentry"><h1 class="entry-title">%s</h1><div class="entry-content">'
                    '<p>%s</p></div></article><div id="comments" class="comments-area"><h2 class="comments-title">%d thoughts</h2><ol class="comment-list">%s</ol>'
                    '</div></main>' % (title, post, len(comments), items))


def blogger(rng, title, post, comments):
    items = ''.join('<li class="comment" id="c%d"><div class="comment-block"><div class="comment-header"><cite class="user">%s</cite><span class="datetime">'
                    'June %d, 2018</span></div><p class="comment-content">%s</p><span class="comment-actions"><a>Reply</a></span></div></li>'
                    % (i, name(rng), i % 28 + 1, text) for i, text in enumerate(comments))
    return FRAME % (title, 'item-view', '<div class="main"><div class="post hentry"><h3 class="post-title">%s</h3><div class="post-body"><p>%s</p></div></div>'
                    '<div class="comments" id="comments"><h4>%d comments:</h4><ol>%s</ol></div></div>' % (title, post, len(comments), items))


def own_comments(rng, title, post, comments):
    items = ''.join('<div class="reader-comment"><b>%s</b> <i>%d hours ago</i><div class="said">%s</div></div>' % (name(rng), i % 23 + 1, text)
                    for i, text in enumerate(comments))
    return FRAME % (title, '', '<article><h1>%s</h1><p>%s</p></article><section class="reader-comments"><h2>What readers say</h2>%s</section>'
                    % (title, post, items))


def phpbb(rng, title, posts):
    items = ''.join('<div id="p%d" class="post bg%d"><div class="inner"><dl class="postprofile"><dt><a class="username" href="#u">%s</a></dt><dd>Posts: %d</dd></dl>'
                    '<div class="postbody"><p class="author">by <a class="username">%s</a> &raquo; Mon May %d, 2019 8:12 pm</p><div class="content">%s</div></div>'
                    '</div></div>' % (i, i % 2 + 1, name(rng), i, name(rng), i % 28 + 1, text) for i, text in enumerate(posts))
    return FRAME % (title, 'nojs section-viewtopic', '<div id="page-body"><h2 class="topic-title"><a href="#t">%s</a></h2>%s</div>' % (title, items))


def xenforo(rng, title, posts):
    items = ''.join('<article class="message message--post" data-author="%s" id="js-post-%d"><div class="message-cell message-cell--user"><h4 class="message-name">%s'
                    '</h4></div><div class="message-cell message-cell--main"><header><time datetime="2019-05-%02dT10:00:00Z">May %d, 2019</time></header>'
                    '<div class="message-body"><div class="bbWrapper">%s</div></div></div></article>'
                    % (who, i, who, i % 28 + 1, i % 28 + 1, text) for i, text in enumerate(posts) for who in [name(rng)])
    return FRAME % (title, '', '<div class="p-body"><h1 class="p-title-value">%s</h1><div class="block-body">%s</div></div>' % (title, items))


def own_thread(rng, title, posts):
    items = ''.join('<div class="forum-entry"><div class="forum-entry-head"><b>%s</b>, May %d, 2019</div><div class="forum-entry-text"><p>%s</p></div></div>'
                    % (name(rng), i % 28 + 1, text) for i, text in enumerate(posts))
    return FRAME % (title, 'forum-topic-page', '<div class="forum-topic"><h1>%s</h1>%s</div>' % (title, items))


def texts(rng, count, least, most):
    return [' '.join(archive.sentence(rng, rng.randint(6, 14)) for _ in range(rng.randint(least, most))) for _ in range(count)]


def plain(text):
    return ' '.join(text.split())


rng = random.Random(7)
pages = {}
for template in (wordpress, blogger, own_comments):
    post, comments = texts(rng, 1, 4, 4)[0], texts(rng, COUNT, 1, 3)
    pages[template.__name__] = (template(rng, archive.sentence(rng, 5), post, comments), [post], comments)
for template in (phpbb, xenforo, own_thread):
    posts = texts(rng, COUNT, 1, 3)
    pages[template.__name__] = (template(rng, archive.sentence(rng, 5), posts), posts, [])

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'pages.warc')
    with open(path, 'wb') as file:
        for key, (html, _, _) in pages.items():
            file.write(archive.response(html, 'http://%s.example/1' % key))
    for options in ((), ('--comments',)):
        records = [json.loads(line) for line in thresher('run', '-q', '-O', '-', *options, path).stdout.splitlines()]
        expect('all pages', len(records), len(pages))
        for record, (key, (_, content, comments)) in zip(records, pages.items()):
            text = plain(record['text'])
            expect('%s%s: posts in the text' % (key, ' with comments' if options else ''), sum(plain(post) in text for post in content), len(content))
            expect('%s%s: comments in the text' % (key, ' with comments' if options else ''), sum(plain(comment) in text for comment in comments),
                   len(comments) if options else 0)

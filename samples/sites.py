"""Eight invented sites, each with its own template around the texts.

A template is a function of an article (story, path, number) that returns the page. NOISE has phrases of each template that are
not content. Tests search for them.
"""
import json
from html import escape


def links(pairs, form='<li><a href="%s">%s</a></li>', join='\n'):
    return join.join(form % (href, escape(text)) for href, text in pairs)


def paragraphs(story, form='<p>%s</p>', join='\n'):
    return join.join(form % escape(text, quote=False) for text in story.paragraphs)


def times(story, url, number):
    """A newspaper of today: HTML5, JSON-LD, cookie banner, share bar, comments."""
    data = {'@context': 'https://schema.org', '@type': 'NewsArticle', 'headline': story.title, 'datePublished': story.published + 'T06:00:00Z',
            'author': {'@type': 'Person', 'name': story.author}, 'publisher': {'@type': 'Organization', 'name': 'The Harbour Times'}}
    sections = ['News', 'Harbour', 'Islands', 'Weather', 'Sport', 'Culture', 'Opinion', 'Jobs', 'Notices']
    related = [('/2026/tide-tables', 'Tide tables for the week'), ('/2026/mayor', 'Mayor opens new slipway'), ('/2026/gulls', 'Gulls: what to do'),
               ('/2026/herring', 'Herring prices fall again'), ('/2026/choir', 'Choir looks for tenors')]
    comments = [('ropewalker', 'About time.'), ('Old Bill', 'My uncle said so in 1974!'), ('kestrel9', 'Who pays?'), ('Mme Anchor', 'Lovely, thanks.')]
    return f'''<!DOCTYPE html>
<html lang="{story.language}">
<head>
<meta charset="utf-8">
<title>{escape(story.title)} | The Harbour Times</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="author" content="{escape(story.author)}">
<meta name="description" content="{escape(story.paragraphs[0][:140])}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="The Harbour Times">
<meta property="og:title" content="{escape(story.title)}">
<meta property="article:published_time" content="{story.published}T06:00:00Z">
<link rel="canonical" href="{url}">
<link rel="stylesheet" href="/static/main.css">
<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>
<script>window.dataLayer = window.dataLayer || []; function track() {{ dataLayer.push(arguments); }}</script>
<style>.visually-hidden {{ position: absolute; clip: rect(0 0 0 0); }}</style>
</head>
<body class="article-page">
<div id="cookies" role="dialog"><p>We and our partners use cookies.</p><button>Accept all</button> <button>Settings</button></div>
<a class="visually-hidden" href="#main">Skip to content</a>
<header><a href="/" class="logo"><img src="/static/logo.svg" alt="The Harbour Times"></a>
<nav aria-label="Sections"><ul>
{links([('/' + name.lower(), name) for name in sections])}
</ul></nav>
<form action="/search"><input name="q" placeholder="Search"><button>Search</button></form></header>
<main id="main"><article>
<header><h1>{escape(story.title)}</h1>
<p class="byline">By <a rel="author" href="/staff/{number}">{escape(story.author)}</a>, <time datetime="{story.published}">{story.published}</time></p>
<ul class="share">{links([('https://social.example/share', 'Share'), ('mailto:?subject=Read', 'Email'), ('#comments', f'{len(comments)} comments')])}</ul></header>
<figure><img src="/img/{number}.jpg" alt=""><figcaption>Photo: archive</figcaption></figure>
{paragraphs(story)}
</article>
<section class="related"><h2>More from Harbour</h2><ul>
{links(related)}
</ul></section>
<section id="comments"><h2>Comments</h2>
{''.join(f'<div class="comment"><b>{escape(name)}</b> <span>2 days ago</span><p>{escape(text)}</p><a href="#reply">Reply</a></div>' for name, text in comments)}
</section></main>
<aside><h2>Most read</h2><ol>
{links(reversed(related))}
</ol><div class="ad">Advertisement</div><h2>Newsletter</h2><p>Every Friday in your inbox.</p><button>Sign up</button></aside>
<footer><ul>{links([('/about', 'About us'), ('/contact', 'Contact'), ('/privacy', 'Privacy'), ('/terms', 'Terms of use')])}</ul>
<p>&copy; 2026 The Harbour Times</p></footer>
<script>track('view', {number});</script>
</body></html>
'''


def wire(story, url, number):
    """A blog engine's theme with widgets that prints what others wrote."""
    months = ['January', 'February', 'March', 'October', 'November', 'December']
    return f'''<!DOCTYPE html>
<html lang="{story.language}" prefix="og: http://ogp.me/ns#">
<head>
<meta charset="UTF-8" />
<title>{escape(story.title)} &#8211; Island Wire</title>
<meta property="og:title" content="{escape(story.title)}" />
<meta property="og:site_name" content="Island Wire" />
<meta property="og:url" content="{url}" />
<link rel="alternate" type="application/rss+xml" title="Feed" href="/feed/" />
<style type="text/css">.recentcomments a{{display:inline!important;padding:0!important}}</style>
</head>
<body class="post-template-default single postid-{number}">
<div id="page" class="hfeed site">
<div id="masthead"><div class="site-title"><a href="/" rel="home">Island Wire</a></div><div class="site-description">All the news that drifts ashore</div></div>
<div id="site-navigation"><div class="menu"><ul>
{links([('/', 'Home'), ('/about/', 'About'), ('/archive/', 'Archive'), ('/tips/', 'Send a tip'), ('/feed/', 'RSS')], '<li class="page_item"><a href="%s">%s</a></li>')}
</ul></div></div>
<div id="content" class="site-content"><div id="primary"><div class="post-{number} post hentry">
<div class="entry-header"><h2 class="entry-title">{escape(story.title)}</h2><div class="entry-meta">Posted on <a href="{url}">{story.published}</a> by <a href="/author/desk/">desk</a></div></div>
<div class="entry-content">
{paragraphs(story)}
<div class="sharedaddy"><h3>Share this:</h3><ul>{links([('?share=a', 'Chirp'), ('?share=b', 'Face'), ('?share=c', 'Print')])}</ul></div>
</div>
<div class="entry-footer">Filed under <a href="/c/news/" rel="tag">News</a>, <a href="/c/read/" rel="tag">Read aloud</a>. Bookmark the <a href="{url}">permalink</a>.</div>
</div>
<div class="nav-links"><a href="/p{number - 1}/" rel="prev">&larr; Older post</a> <a href="/p{number + 1}/" rel="next">Newer post &rarr;</a></div>
<div id="respond"><h3>Leave a Reply</h3><form><label>Name *</label><input><label>Email *</label><input><label>Website</label><input><textarea></textarea><input type="submit" value="Post Comment"></form></div>
</div>
<div id="secondary">
<div class="widget"><h3>Recent Posts</h3><ul>
{links([('/p1/', 'Wind from the east'), ('/p2/', 'A new anchor'), ('/p3/', 'Fog'), ('/p4/', 'The price of rope')])}
</ul></div>
<div class="widget"><h3>Recent Comments</h3><ul class="recentcomments"><li>Jo on <a href="/p3/">Fog</a></li><li>Ewan on <a href="/p1/">Wind from the east</a></li></ul></div>
<div class="widget"><h3>Archives</h3><ul>
{links([('/2025/%d/' % i, name + ' 2025') for i, name in enumerate(months)])}
</ul></div></div></div>
<div id="colophon">Proudly powered by <a href="https://press.example/">Pressworks</a></div>
</div></body></html>
'''


def oldbooks(story, url, number):
    """A hobby library of 2003: tables in tables, no doctype, upper case."""
    shelf = ['Austen', 'Carroll', 'Dickens', 'Doyle', 'Melville', 'Thoreau', 'Wells']
    return f'''<HTML>
<HEAD>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1252">
<META NAME="Author" CONTENT="{escape(story.author)}">
<TITLE>Old Books Online - {escape(story.title)}</TITLE>
</HEAD>
<BODY BGCOLOR="#FFFFEE" TEXT="#000000" LINK="#990000" TOPMARGIN=0>
<TABLE WIDTH=780 BORDER=0 CELLPADDING=0 CELLSPACING=0 ALIGN=CENTER>
<TR><TD COLSPAN=3 BGCOLOR="#663300"><FONT FACE="Times" SIZE=6 COLOR="#FFFFFF">Old Books Online</FONT><BR>
<FONT SIZE=1><A HREF="/index.html">Home</A> | <A HREF="/new.html">What's new</A> | <A HREF="/guest.html">Guestbook</A> | <A HREF="/links.html">Links</A></FONT></TD></TR>
<TR VALIGN=TOP><TD WIDTH=140 BGCOLOR="#FFEECC">
<TABLE BORDER=0 CELLPADDING=4>
{links([('/%s.html' % name.lower(), name) for name in shelf], '<TR><TD><FONT SIZE=2><A HREF="%s">%s</A></FONT></TD></TR>')}
</TABLE>
<IMG SRC="/counter.cgi" ALT="" WIDTH=88 HEIGHT=31></TD>
<TD WIDTH=10>&nbsp;</TD>
<TD><FONT FACE="Times" SIZE=5><B>{escape(story.title)}</B></FONT><BR><FONT SIZE=2>by {escape(story.author)}</FONT>
<FONT FACE="Times" SIZE=3>
{paragraphs(story, '<P ALIGN=JUSTIFY>%s')}
</FONT>
<CENTER><FONT SIZE=2><A HREF="ch{number - 1}.html">&lt;&lt; back</A> &nbsp; <A HREF="toc.html">contents</A> &nbsp; <A HREF="ch{number + 1}.html">next &gt;&gt;</A></FONT></CENTER>
</TD></TR>
<TR><TD COLSPAN=3 ALIGN=CENTER BGCOLOR="#663300"><FONT SIZE=1 COLOR="#FFFFFF">Best viewed with 800x600. You are visitor no. 00{number}42.<BR>
<A HREF="mailto:web@oldbooks.example">webmaster</A></FONT></TD></TR>
</TABLE>
</BODY>
</HTML>
'''


def fireside(story, url, number):
    """A private journal: paragraphs are line breaks, everything is a div."""
    return f'''<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head><meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
<title>{escape(story.title)} - By the Fireside</title>
<script type="text/javascript" src="/js/snow.js"></script></head>
<body><div id="wrap">
<div id="top"><a href="/">By the Fireside</a></div>
<div id="tabs"><a href="/journal">journal</a><a href="/readings">readings</a><a href="/recipes">recipes</a><a href="/friends">friends</a></div>
<div id="left"><div class="box"><div class="boxhead">tags</div>
{links([('/t/' + tag, tag) for tag in ('winter', 'tea', 'sea', 'cats', 'walks', 'lamps', 'letters')], '<span class="tag"><a href="%s">%s</a></span>', ' ')}</div>
<div class="box"><div class="boxhead">elsewhere</div><a href="https://wire.example/">island wire</a><br /><a href="https://oldbooks.example/">old books</a></div></div>
<div id="entry"><div class="date">entry no. {number}</div><div class="head">{escape(story.title)}</div>
<div class="text">{paragraphs(story, '%s', '<br /><br />')}</div>
<div class="foot"><a href="{url}#c">3 comments</a> | <a href="/mail">mail me</a> | <a href="/trackback/{number}">trackback</a></div></div>
<div id="bottom">layout by me, snow by a friend</div>
</div></body></html>
'''


def boards(thread, url, number):
    """A forum: posts with signatures, quotes and user columns."""
    rows = []
    for place, (user, text) in enumerate(thread.paragraphs, 1):
        rows.append(f'''<table class="tborder" id="post{number}{place}"><tr><td class="thead">Today, 1{place}:0{place} <a href="#{place}">#{place}</a></td></tr>
<tr><td class="alt2"><a class="bigusername" href="/u/{user}">{user}</a><div class="smallfont">Senior Member</div><div class="smallfont">Posts: {place * 317}</div></td>
<td class="alt1"><div class="message">{escape(text, quote=False)}</div><div class="sig">__________________<br>{user}: fair winds</div>
<a href="/quote">Quote</a> <a href="/report">Report</a></td></tr></table>''')
    return f'''<!DOCTYPE html>
<html lang="en"><head><title>{escape(thread.title)} - Rope and Sail Boards</title></head><body>
<div class="navbar"><a href="/">Rope and Sail Boards</a> &gt; <a href="/f/7">Rigging</a> &gt; {escape(thread.title)}</div>
<div class="menu"><a href="/register">Register</a> <a href="/faq">FAQ</a> <a href="/members">Members List</a> <a href="/calendar">Calendar</a> <a href="/today">Today's Posts</a></div>
<h1>{escape(thread.title)}</h1>
{''.join(rows)}
<div class="pagenav">Page 1 of 1</div>
<div class="rules">You may not post new threads</div><div class="rules">You may not post replies</div>
<div class="smallfont">All times are GMT. The time now is 19:30.</div>
</body></html>
'''


def teashop(product, url, number):
    """A shop: short texts, prices, almost no prose."""
    facts = ''.join(f'<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in product.paragraphs[1:])
    return f'''<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(product.title)} | Tea by the Lock</title>
<meta property="og:type" content="product"><meta property="og:title" content="{escape(product.title)}"></head>
<body><div class="bar"><a href="/">Tea by the Lock</a> <a href="/cart">Cart (0)</a> <a href="/login">Log in</a></div>
<ul class="cats">{links([('/black', 'Black tea'), ('/green', 'Green tea'), ('/herbs', 'Herbs'), ('/pots', 'Pots'), ('/gifts', 'Gifts')])}</ul>
<div class="product"><h1>{escape(product.title)}</h1><div class="price">&euro; {number},50</div><button>Add to cart</button>
<div class="desc">{escape(product.paragraphs[0])}</div><table>{facts}</table></div>
<h2>You may also like</h2><div class="tiles">{links([('/p/1', 'Harbour blend'), ('/p/2', 'Blue pot'), ('/p/3', 'Mint'), ('/p/4', 'Strainer')], '<div><a href="%s">%s</a> <span>&euro; 9,00</span></div>')}</div>
<div class="foot">Free delivery from &euro; 40 <a href="/returns">Returns</a> <a href="/imprint">Imprint</a></div></body></html>
'''


# Home, books, authors, search, contact, "all rights reserved" in the languages of the reading room.
LABELS = {
    'fr': ['Accueil', 'Livres', 'Auteurs', 'Rechercher', 'Contact', 'Tous droits réservés'],
    'de': ['Startseite', 'Bücher', 'Autoren', 'Suche', 'Impressum', 'Alle Rechte vorbehalten'],
    'es': ['Inicio', 'Libros', 'Autores', 'Buscar', 'Contacto', 'Todos los derechos reservados'],
    'ru': ['Главная', 'Книги', 'Авторы', 'Поиск', 'Контакты', 'Все права защищены'],
    'zh': ['首页', '图书', '作者', '搜索', '联系我们', '版权所有'],
    'ja': ['ホーム', '本', '作家', '検索', 'お問い合わせ', '無断転載を禁じます'],
    'ko': ['홈', '도서', '작가', '검색', '문의', '모든 권리 보유'],
    'th': ['หน้าแรก', 'หนังสือ', 'ผู้เขียน', 'ค้นหา', 'ติดต่อเรา', 'สงวนลิขสิทธิ์'],
    'ar': ['الرئيسية', 'كتب', 'مؤلفون', 'بحث', 'اتصل بنا', 'جميع الحقوق محفوظة'],
}


def reading_room(charset_line):
    """A library in many languages. charset_line is the line in the head about the encoding, or ''."""
    def template(story, url, number):
        labels = LABELS[story.language]
        items = links(zip(('/', '/books', '/authors', '/search', '/contact'), labels))
        return f'''<!DOCTYPE html>
<html lang="{story.language}"{' dir="rtl"' if story.language == 'ar' else ''}>
<head>{charset_line}<title>{escape(story.title)}</title>
<meta name="author" content="{escape(story.author)}"></head>
<body><div id="head"><ul>{items}</ul></div>
<div id="text"><h1>{escape(story.title)}</h1>
{paragraphs(story)}
</div>
<div id="foot"><ul>{items}</ul><div>{labels[5]}</div></div>
</body></html>
'''
    return template


# Phrases that are on every page of a site and no part of its text.
NOISE = {
    'times.example': ['Accept all', 'Skip to content', 'Islands', 'Most read', 'Tide tables', 'Terms of use', 'Sign up'],
    'wire.example': ['Send a tip', 'Share this', 'Leave a Reply', 'Recent Posts', 'Archives', 'Pressworks', 'Filed under'],
    'oldbooks.example': ['Guestbook', "What's new", 'Best viewed', 'contents', 'webmaster'],
    'fireside.example': ['journal', 'recipes', 'elsewhere', 'trackback', 'snow by a friend'],
    'boards.example': ['Members List', 'Register', 'You may not post', 'All times are GMT'],
    'teashop.example': ['Add to cart', 'Log in', 'Free delivery', 'Imprint'],
}

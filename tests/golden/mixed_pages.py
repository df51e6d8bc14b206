#!/usr/bin/env python3
"""Digests of everything that the program writes about a thousand pages with unusual markup.

usage: mixed_pages.py PROGRAM                 compares with mixed_pages.out
       mixed_pages.py --accept PROGRAM        keeps the digests of now
       mixed_pages.py --write FOLDER PROGRAM  writes the pages and the records to FOLDER: to see a difference, write with both programs, and compare the folders

The pages are those of this folder, of text/ and of some fuzz corpora. Each occurs in twelve versions. The first is the page as it is. Seven have random edits: elements,
classes, attributes and words of the tables of src/parse, src/content, src/write, src/redact and src/signals, in other places, cut, repeated, or not closed. Four have words of
mixed_words.txt as names, classes, values, addresses and text. These are the strings of src in November 2026. The versions also have different HTTP headers, codings,
charsets and addresses. The random numbers are the script's own: a page depends only on its name, on this script and on mixed_words.txt.
A row of mixed_pages.out is a page, a column is a set of options of RUNS, a cell is a digest of the records of all versions.
"""
import hashlib
import os
import re
import subprocess
import sys
import tempfile

from mixed import Random, settle, stored

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(os.path.dirname(HERE), 'fuzz', 'corpus')
KEPT = os.path.join(HERE, 'mixed_pages.out')
VERSIONS, WORDED = 12, 8  # versions of a page; the first one with words
COMMON = ['-q', '-j1', '--language-detector', 'none', '--page-ms', '0']
RUNS = {
    'all': ['run', '--emit', 'all', '--sign', 'all', '--bands', '--minhash', 'paper', '--text-format', 'markdown,plain,html', '--text-links', '--text-images',
            '--text-title', 'yes', '--text-front-matter', '--comments', '--weak-facts', '--text-plain', '--strictness', 'strict,balanced,wide'],
    'redact': ['run', '--emit', 'full_text,links,posts,blocks,rights', '--redact', 'email,ip,phone', '--text-format', 'markdown,html', '--text-links', '--text-images', '-s', 'boundary-graph', '-k', 'keep-all', '-p', '2008', '--w-max', '40'],
    'limits': ['run', '--emit', 'all', '--max-depth', '10', '--max-nodes', '90', '--max-blocks', '20', '--max-links', '6', '--max-attributes', '2', '--max-tag', '256',
               '--max-body', '6000', '--max-record', '9000', '--max-codings', '1', '-s', 'just-rules', '-k', 'largest-content', '--text-format', 'html'],
    'warc': ['run', '-f', 'warc', '-s', 'bf-plain', '-k', 'densitometric', '--minhash', 'datatrove'],
    'fineweb': ['run', '-f', 'fineweb', '-s', 'bf-smoothed', '-k', 'num-words', '--text-format', 'markdown', '--filter.status', 'all'],
    'cdxj': ['records', '-q', '--cdxj'],
}

# ---------------------------------------------------------------- what the edits insert

HEADS = r'''
<base href="https://cdn.mixed.example/b/a/se/?q#f">
<base href="//other.example">
<title>Second title &amp; more | Mixed Example</title>
<meta name="author" content="Ada Byron and Grace Hopper; The Editors">
<meta property="article:author" content="https://mixed.example/author/grace">
<meta name="citation_author" content="Hopper, Grace"><meta name="citation_author" content="Byron, Ada">
<meta property="article:published_time" content="2024-02-29T23:59:60+05:30">
<meta property="article:modified_time" content="2024-03-01 07:08">
<meta name="dc.date.issued" content="March 4, 2023"><meta name="dcterms.modified" content="2023-W10">
<meta name="parsely-pub-date" content="1700000000"><meta name="last-modified" content="Tue, 05 Mar 2024 10:11:12 GMT">
<meta name="date" content="31.12.2022"><meta name="pub_date" content="2022/13/45">
<meta property="og:title" content="An Open Graph Title &#8211; Mixed"><meta property="og:site_name" content="Mixed Example">
<meta property="og:type" content="article"><meta property="og:locale" content="pt_BR"><meta property="og:url" content="/canonical/from/og">
<meta property="og:image" content="/img/lead.jpg?w=1200"><meta name="twitter:image:src" content="//img.example/t.png">
<meta name="description" content="One sentence about   ropes,&nbsp;knots and &lt;tea&gt;."><meta name="og:description" content="">
<meta name="keywords" content="rope, knot ,, tea;harbour"><meta property="article:tag" content="ropes"><meta property="article:section" content="Sea">
<meta name="generator" content="WordPress 6.4.2"><meta name="generator" content="Docusaurus v2"><meta name=generator content=phpBB>
<meta name="robots" content="noindex, NOARCHIVE,max-snippet:20"><meta name="googlebot" content="noai,noimageai">
<meta name="tdm-reservation" content="1"><meta name="tdm-policy" content="https://mixed.example/tdm.json">
<meta http-equiv="content-language" content="de-AT, en"><meta name="language" content="EN_us">
<link rel="canonical" href="https://mixed.example/canonical?x=1&y=2"><link rel="alternate" hreflang="fr-CA" href="/fr/"><link rel="amphtml" href="amp">
<link rel="alternate" type="application/rss+xml" title="Feed" href="/feed.xml"><link rel="license" href="https://creativecommons.org/licenses/by-nc-sa/4.0/deed.de">
<link rel="license" type="application/rsl+xml" href="/license.xml"><link rel="image_src" href="lead.gif"><link rel="next" href="?page=2"><link rel="author" href="/about">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"From JSON \u00e9\ud83d\ude00","author":[{"@type":"Person","name":"Ada Byron"},"Bob, Jr."],"datePublished":"2024-05-06T07:08:09Z","dateModified":"2024-05-07","inLanguage":"en-GB","publisher":{"name":"Mixed"},"articleBody":"The lighthouse keeper counted the ships that came in before the storm.","articleSection":["Sea","Weather"],"keywords":"a, b"}</script>
<script type="application/ld+json">{"@graph":[{"@type":["Recipe","Thing"],"name":"Tea","recipeIngredient":["2 cups of water","1 spoon of tea"],"author":{"@id":"#p"}},{"@id":"#p","@type":"Person","name":"Cook A."},{"@type":"WebSite","name":"Mixed Site"}]}</script>
<script type="application/ld+json"><![CDATA[ // comment
[{"@type":"QAPage","mainEntity":{"@type":"Question","name":"How?","acceptedAnswer":{"@type":"Answer","text":"Thus.","upvoteCount":3}}},{"@type":"Product","offers":{"price":"3.50"},"description":"A pot"}, {"broken": tru ]]></script>
<script type="math/tex; mode=display">\sum_{i=0}^n i^2</script><script>document.write("<p>not text</p>")</script><style>p { color: red }</style>
<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.0 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<!DOCTYPE html SYSTEM 'about:legacy-compat'>
<html lang="ja" itemscope itemtype="https://schema.org/WebPage" prefix="foo: https://foo.example/ns#">
<body class="single post-template home page-id-7 forum" id=top>
'''
BLOCKS = r'''
<h1>Headline of the <em>mixed</em> page<a class="headerlink" href="#x" title="Permalink">¶</a></h1>
<h2 id="s2"><a href="#s2">#</a> Second level</h2><h3>Third</h3><h6>Sixth</h6>
<p>The lighthouse keeper counted the ships that came in before the storm, and wrote their names on the wall with a piece of chalk.</p>
<p>When the storm was over he counted them again, and every one of them had come home safely to its own pier, he said; but was it so?
<p class="byline">By <a rel="author" href="/author/grace-hopper">Grace Hopper</a> | <time datetime="2024-01-02T03:04:05Z" pubdate>January 2, 2024</time> · 5 min read</p>
<div class="entry-meta">Posted by <span class="author vcard"><span class="fn">Ada B.</span></span> on <abbr class="published" title="2023-11-12">12 Nov 2023</abbr>, last updated: 13.11.2023</div>
<div itemscope itemtype="http://schema.org/Review"><span itemprop="author" itemscope itemtype="http://schema.org/Person"><b itemprop="name">Rev I. Ewer</b></span><meta itemprop="datePublished" content="2021-01-01"><div itemprop="reviewBody">It works well enough for ropes, and badly for tea.</div></div>
<div vocab="http://schema.org/" typeof="Article" resource="#a"><span property="dc:creator foo:bar">R. D. Fa</span><a property="license" rel="license" href="http://creativecommons.org/publicdomain/zero/1.0/">CC0</a></div>
<div class="h-entry"><a class="u-url p-name" href="/note">A note</a><div class="e-content">Short.</div><time class="dt-published">2020-02-30</time></div>
<ul><li>one<li><p>two</p><ul><li>two a<li>two b</ul><li><input type=checkbox checked> done<li><input type="checkbox" disabled> open</ul>
<ol start=7 reversed><li value="12">twelve</li><li>eleven<ol type=a><li>a</ol></ol>
<dl><dt>Term<dd>Definition one<dd>Definition <code>two</code><dt>Other</dl>
<table class="wikitable"><caption>A table</caption><thead><tr><th align=left>Name<th style="text-align: right">Count</thead><tbody><tr><td rowspan=2>a|b<td>1<tr><td colspan="3">wide</tbody><tfoot><tr><td>sum<td align=center>1</table>
<table border=0 width="100%"><tr><td valign=top><font size="2"><a href=/1>Home</a> | <a href=/2>News</a></font><td><p>Text in a layout table that is long enough to be a paragraph of its own, with a comma.</table>
<table><tr><td><table><tr><td>nested<td>cells</table><td></table>
<blockquote cite="/q"><p>Quoted words.</p><blockquote>Deeper.</blockquote><footer>— <cite>Someone</cite></footer></blockquote>
<pre><code class="language-python hljs">def f(x):
    return "`" * x  # ```
</code></pre>
<div class="highlight highlight-source-c"><pre data-lang="c"><span class="linenos">1 </span>int main(void)
<span class="lineno">2</span>{ return 0; }</pre><button class="btn-copy" data-clipboard-text="x">Copy</button></div>
<table class="highlighttable rouge-table"><tr><td class="gutter linenos"><pre>1
2</pre></td><td class="code"><pre>#include &lt;stdio.h&gt;
std::cout &lt;&lt; 1;</pre></td></table>
<math display="block"><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>=</mo><msubsup><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>10</mn></mrow><mi>n</mi></msubsup><msqrt><mi mathvariant="bold">x</mi></msqrt><mroot><mi>α</mi><mn>3</mn></mroot></math>
<math><mrow><munderover><mo>∫</mo><mn>0</mn><mi>∞</mi></munderover><mover accent=true><mi>v</mi><mo>→</mo></mover><mover><mi>x</mi><mo>^</mo></mover><munder><mi>lim</mi><mi>n</mi></munder><mtable columnalign="right left"><mtr><mtd><mi>a</mi></mtd><mtd><mo>&lt;</mo><mtext>if $ </mtext></mtd></mtr></mtable><mfenced open="[" close="|"><mi>b</mi><mn>2</mn></mfenced><mmultiscripts><mi>T</mi><mi>i</mi><none/><mprescripts/><mi>j</mi><mi>k</mi></mmultiscripts><menclose notation="box"><mi>y</mi></menclose><mspace width="2em"/><mphantom><mi>z</mi></mphantom></mrow></math>
<math alttext="\frac{1}{2}"><semantics><mfrac linethickness="10px"><mn>1</mn><mn>2</mn></mfrac><annotation encoding="application/x-tex">\frac12</annotation></semantics></math>
<p>Inline \(a^2 + b_{i}\) and $$E = mc^2$$ and <span class="math inline">\(\alpha\)</span> and <span class="katex" data-latex="\beta">β</span> costs $5 and $6.<img class="latex" alt="$x_1$" src="/latex.php?x_1"></p>
<p>H<sub>2</sub>O and 10<sup>-3</sup> m<sup>2</sup>, x<sup><a href="#fn1">[1]</a></sup><sup class="reference"><a href="#cite">[2]</a></sup>, <kbd>Ctrl</kbd>+<kbd>C</kbd>, <var>v</var>, <del>old</del> <ins>new</ins> <mark>m</mark> <q>quote</q> <abbr title="World">W</abbr> <small>fine</small> <s>no</s><u>u</u><tt>tt</tt></p>
<section class="footnotes"><hr><ol><li id="fn1">A note.<a href="#fnref1" class="footnote-back">↩</a></ol></section>
<figure><picture><source srcset="a.webp"><img src="/img/a b.jpg" srcset="a.jpg 1x, b.jpg 2x" alt="A [pier] at night" title="Pier" width=640></picture><figcaption>Caption of the pier</figcaption></figure>
<img src="data:image/gif;base64,R0lGOD" data-src="/lazy.jpg" alt=""><img alt=":)" class="emoji wp-smiley" src="/s.gif"><img alt="alone" src="rel/one.png">
<a href="https://mixed.example/a(b)c?d=[e]&amp;f=g h">link with (signs)</a> <a href="mailto:ada@mixed.example">mail</a> <a href="javascript:void(0)">js</a> <a href="tel:+49-30-1234567" rel="nofollow ugc">call</a> <a href="../up/./x">up</a> <a href="?q=ä#ü">query</a> <a>no target</a> <a name=old></a><a href="HTTP://EXAMPLE.com:80/%7euser/%2F"></a>
<nav class="breadcrumb" aria-label="Breadcrumb"><a href="/">Home</a> » <a href="/sea">Sea</a> » <span>Ropes</span></nav>
<header class="site-header"><div class="logo">Mixed Example</div><ul class="menu"><li><a href="/news">News</a><li><a href="/shop">Shop</a><li><a href="/about">About us</a></ul></header>
<aside class="sidebar widget related-posts"><h3>Related</h3><ul><li><a href="/r1">Ten ropes you should know</a><li><a href="/r2">Tea for sailors</a></ul></aside>
<div class="share-buttons social"><a href="https://twitter.com/share">Tweet</a> <a href="#">Share</a> <a>Like</a> 12 likes</div>
<div class="newsletter-signup ad-container" role="complementary"><form action="/s"><label>Subscribe to our newsletter</label><input type=email value="you@mixed.example"><select><option selected>One<option>Two</select><textarea>typed text</textarea><button>Sign up</button></form></div>
<div class="cookie-banner" role="dialog" aria-hidden="true">We use cookies. <a href="/privacy">Privacy policy</a> <button>Accept all</button></div>
<footer id="colophon"><p>© 2024 Mixed Example Ltd. All rights reserved. <a href="/terms">Terms of use</a> | <a href="/impressum">Impressum</a></p></footer>
<section id="comments" class="comments-area"><h2>2 Comments</h2><ol class="commentlist"><li id="comment-1" class="comment depth-1"><div class="comment-author vcard"><cite class="fn">Bob</cite> says:</div><a href="#comment-1"><time datetime="2024-01-03T10:00">January 3, 2024 at 10:00 am</time></a><div class="comment-content"><p>I do not agree at all, the storm was over long before that.</p></div><ul class="children"><li id="comment-2" class="comment depth-2"><cite class="fn">Ann</cite> says:<p>Well, who counted?</p></ul></ol></section>
<div class="post" id="p100"><div class="postprofile"><a class="username" href="./memberlist.php?mode=viewprofile&u=2">keeper</a><dd>Joined: Mon Jan 05, 2009</dd></div><p class="author"><time datetime="2024-02-03T04:05:06+00:00">Sat Feb 03, 2024 4:05 am</time></p><div class="content"><blockquote class="uncited"><cite>mate wrote:</cite>old words</blockquote>New words about the post, which are a reply.</div><div class="signature">-- keeper of the light</div></div>
<article class="message message--post" data-author="mate" data-content="post-12" id="js-post-12"><h4 class="message-name"><a class="username" data-user-id="5">mate</a></h4><ul class="message-attribution"><li><time class="u-dt" datetime="2023-09-08T07:06:05-0400" data-timestamp="1694171165">Sep 8, 2023</time></ul><div class="message-body"><div class="bbWrapper">Message body with <b>bold</b><br>and a line.<div class="bbCodeBlock bbCodeBlock--quote" data-quote="keeper">quote</div></div></div></article>
<div class="topic-post" itemprop="comment" itemscope itemtype="http://schema.org/Comment"><span class="creator" itemprop="author"><span itemprop="name">disc</span></span><meta itemprop="position" content="2"><time itemprop="datePublished" datetime="2022-12-31T23:00:00Z">Dec 31</time><div class="post" itemprop="text"><p>A crawler post.</p></div><div itemprop="interactionStatistic"><meta itemprop="userInteractionCount" content="4"></div></div>
<div id="question" class="question" data-score="17"><div class="s-prose js-post-body">How do I splice?</div></div><div id="answer-5" class="answer accepted-answer" itemprop="acceptedAnswer" data-score="-2"><div class="js-vote-count">-2</div><div class="s-prose">Like this.</div><div class="user-details">solver <span class="relativetime" title="2021-05-06 07:08:09Z">3 years ago</span></div></div>
<details><summary>More</summary>Hidden until opened.</details><dialog open>Dialog</dialog><template><p>templated</p></template><noscript><p>without script</p></noscript>
<div hidden>hidden words</div><div style="display:none">not displayed</div><span style="visibility: hidden">invisible</span><div class="sr-only">for readers</div><p aria-hidden=true>aria</p><div role="alert">alert!</div>
<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby> <bdo dir=rtl>abc</bdo> <span lang=he dir="rtl">שלום עולם, זה טקסט בעברית</span>
<svg viewBox="0 0 1 1"><title>icon</title><text>svg text</text><foreignObject><p>in svg</p></foreignObject></svg>
<iframe src="https://www.youtube.com/embed/x">frame text</iframe><video controls><source src=v.mp4>no video</video><audio src=a.mp3></audio><object data=o><embed src=e></object><canvas>c</canvas><frameset><frame src=f></frameset>
<div class="admonition note"><p class="admonition-title">Note</p><p>Take care of the rope.</p></div><div class="custom-block tip"><p class="custom-block-title">TIP</p>Tea first.</div>
<center>centered</center><marquee>moving</marquee><font color=red size=+1>red</font><big>big</big><nobr>no<wbr>break</nobr><address>Pier 1<br>Harbour</address><hr><br><br>
<ul class="ingredients"><li itemprop="recipeIngredient">2 cups of water<li>1 spoon of tea</ul>
<p>Kontakt: ada.byron+x@mail.mixed.example, +49 (0)30 1234-5678, (555) 867-5309, 192.168.10.20, 2001:db8::ff00:42:8329, v1.2.3.4, 2024-01-02, ada @ mixed, a@b.</p>
<p>Write to ada@mixed.example <img src=/pier.png alt="the pier"> or <math><mi>x</mi></math>, call +49 30 1234567 <img src=/b.png>.</p>
<p>lorem ipsum dolor … text... { x } javascript • item [edit] [citation needed]</p><p>• bullet one<br>- bullet two<br>… more…</p>
<p>我们在港口数了数船，然后把名字写在墙上。风暴过后，他又数了一遍。《老人与海》（1952年）</p><p>灯台守は嵐の前に入ってきた船を数え、壁に名前を書いた。</p><p>등대지기는 폭풍 전에 들어온 배를 세었다.</p>
<p>ผู้ดูแลประภาคารนับเรือที่เข้ามาก่อนพายุ</p><p>Хранитель маяка считал корабли, которые пришли до бури, и не спал.</p><p>حارس المنارة عد السفن قبل العاصفة.</p><p>Ο φύλακας μέτρησε τα πλοία</p>
<plaintext>
<xmp><b>not bold</b></xmp><listing>
listed</listing>
<![CDATA[ not cdata ]]><!-- comment --> <!--> <!- wrong ><?php echo 1; ?></br></p></unknown><x-card data-a='1' data-b=2 DATA-A=3>custom</x-card>
<div hidden id="S:1"><p>Streamed paragraph that is moved to its place.</p></div><template id="B:1"></template><script>$RC("B:1","S:1")</script>
'''
TEXTS = [' &amp;&nbsp;&#8212;&#x1F600;&notit;&#0;&#xD800;&#128; ', ' *stars* _under_ `ticks` [br](ackets) <b>b', '\n# no heading\n- no list\n1. no\n> no\n', ' www.mixed.example and https://a.example/x_y_z*. ',
         '   \t\n ', '\u00a0\u3000\u200b\u00ad', '1.234,56 € and 10 m and 5 %', 'SHOUTED WORDS. Done! Really? Yes.', 'a' * 200, 'word ' * 40, 'The end of it, by then, was near. ' * 6, '| pipe | \\ back ~~x~~ ',
         '© 2021', 'Read more »', '12 comments', '3 hours ago', 'Share this:', '\x00\x01\x7f', '\udc80\udcff'.encode('utf-8', 'surrogateescape').decode('latin-1'), '日本語の文章です。', 'Mr. Smith vs. Mrs. Jones etc.', '-' * 30, '…',
         'Jan 5, 2021 12:30 pm', '& < > " \' &lt;b&gt;', 'é' * 7, 'lorem ipsum']
WRAPPERS = ['div', 'p', 'b', 'i', 'a href="/w"', 'a href=#frag', 'span class="content"', 'article', 'main', 'section', 'nav', 'aside', 'footer', 'header', 'blockquote', 'pre', 'code', 'ul', 'li', 'table', 'td', 'tr', 'h2', 'h4',
            'form', 'button', 'noscript', 'template', 'svg', 'math', 'sup', 'sub', 'del', 'font', 'center', 'select', 'option', 'textarea', 'title', 'details', 'summary', 'figure', 'figcaption', 'dl', 'dt', 'dd', 'label', 'ruby',
            'div style="display: none"', 'div role="main"', 'div itemprop="articleBody"', 'small', 'script', 'style', 'iframe', 'object', 'caption', 'tbody', 'body', 'html', 'head', 'frameset', 'noframes', 'address', 'cite', 'q']
ATTRIBUTES = ['class="content entry-content"', 'class="comment reply"', 'class="nav menu"', 'id=main', 'id="comments"', 'class=sidebar', 'class="footer legal"', 'class="post thread"', 'class="author"', 'class="date published"', 'hidden',
              'hidden=until-found', 'aria-hidden="true"', 'role=navigation', 'role="main"', 'style="display:none"', 'style="text-align:center;user-select: none"', 'itemprop="name"', 'itemprop=text', 'itemprop="datePublished"', 'lang=fr',
              'rel="author"', 'rel="license nofollow"', 'title="A title"', 'dir=rtl', 'align=right', 'colspan=2', 'rowspan=0', 'data-lang="c"', 'class="language-js"', 'class="linenos gutter"', 'href="/added"', 'alt="added"', 'src=/added.png',
              'value=5', 'start=3', 'type=checkbox', 'open', 'class="ad promo"', 'class="related more"', 'class="share"', 'class="headline title"', 'property="dc:title"', 'typeof=Person', 'about="#x"', 'datetime="2024-06-07"', 'x=' + 'y' * 270,
              'class="hljs highlight"', 'class="math display"', 'class="emoji"', 'class="hint-container tip"', 'mathvariant="double-struck"', 'linethickness=0', 'class=""', 'id', '=', '"', 'class="username"', 'class="signature"', 'content="7"']
ADDRESSES = ['http://mixed.example/%s', 'https://www.mixed.example/2024/01/02/%s.html', 'https://docs.mixed.example/reference/%s/', 'http://forum.mixed.example:8080/viewtopic.php?t=5&id=%s', 'https://mixed.example/category/%s?page=2#top',
             'https://mixed.example/shop/product/%s;jsessionid=0123456789ABCDEF0123456789ABCDEF?sid=1&B=2&a=1', 'http://WWW2.Mixed.Example./a//b/../%s?', 'http://user:pw@[2001:db8::1]/%%41/%s?q=%%zz+x', 'http://192.0.2.7/blog/%s', 'https://xn--mxed-1ra.example/tag/%s/index.php?']
HEADERS = ['X-Robots-Tag: noai, otherbot: noindex', 'Content-Language: de', 'Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT', 'Link: <https://creativecommons.org/licenses/by/4.0/>; rel="license"', 'tdm-reservation: 1', 'Content-Usage: train-ai=n',
           'Link: </x>; rel=canonical, </y>; rel="alternate"; hreflang=es', 'Server: mixed\r\n folded', 'X-Crawler-Transfer-Encoding: chunked', 'Set-Cookie: a=b']
STATUSES = ['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.0 200', 'HTTP/1.1 404 Not Found', 'HTTP/2 200', 'HTTP/1.1 203 x']
CHARSETS = ['windows-1251', 'shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr', 'koi8-r', 'utf-16-le', 'utf-16-be', 'iso-8859-2', 'windows-1252', 'iso-8859-8', 'windows-874', 'gbk']
PYTHON_NAMES = {'windows-874': 'cp874'}


def lines_of(text):
    """Fragments, each beginning at a line that begins with <."""
    return [part for part in re.split(r'\n(?=<)', text.strip()) if part]


HEADS, BLOCKS = lines_of(HEADS), lines_of(BLOCKS)
with open(os.path.join(HERE, 'mixed_words.txt'), encoding='utf-8') as words_file:
    WORDS = words_file.read().splitlines()
# %w: a word, %t: a text
FORMS = ['<div class="%w"><p>%t</p></div>', '<p class="x %w y">%t', '<meta name="%w" content="%t">', '<meta property="%w" content="%w">', '<meta itemprop="%w" content="2024-01-02">', '<span id="%w">%t</span>',
         '<a href="https://%w/%w">%t</a>', '<img src="https://%w/x.png" alt="a_{%w}">', '<img src="/i/%w?x" title="x^2" class="%w">', '<img src="/%w" alt="%w">', '<%w>%t</%w>', '<%w %w="%w">%t', '<p>%w %t %w</p>', '<p>%t %w</p>', '<li itemprop="%w">%t',
         '<div %w="%w">%t</div>', '<link rel="%w" href="/l/%w">', '<script type="application/ld+json">{"@type":"%w","%w":"%t","%w":[{"@type":"%w","%w":"2"}]}</script>', '<time class="%w" datetime="2024-01-02T03:04">%w</time>',
         '<a rel="%w" href="/r" class="%w">%w</a>', '<div data-x="%w" role="%w" id="%w">%t</div>', '<table><tr><td class="%w">%w<td>%t</table>', '<p>&%w; %t', '<h3>%w</h3>', '<pre><code class="%w language-%w">%t\n%w</code></pre>',
         '<article class="%w %w" id="post-1"><p>%t</p></article>', '<ul class="%w"><li>%t<li>%w</ul>', '<section id="%w"><h2>%w</h2><p>%t</p></section>', '<math><%w>%w</%w><mo>%w</mo></math>', '<p>\\(%w{%w}\\) $$%w$$</p>']


# ---------------------------------------------------------------- pages

def edited(text, random):
    """The page with some random edits."""
    parts = re.findall(r'<[^<>]*>|[^<]+|<', text)
    for _ in range(3 + random.below(14)):
        at, kind = random.below(len(parts) + 1), random.below(16)
        if kind < 4:
            parts.insert(at, random.one(BLOCKS))
        elif kind < 6:
            parts.insert(random.below(min(len(parts), 12) + 1), random.one(HEADS))
        elif kind < 7:
            parts.insert(at, random.one(TEXTS))
        elif kind < 9:
            end, name = min(len(parts), at + 1 + random.below(30)), random.one(WRAPPERS)
            if random.below(4):
                parts.insert(end, '</%s>' % name.split()[0])
            parts.insert(at, '<%s>' % name)
        elif kind < 12:
            tags = [i for i, part in enumerate(parts) if re.match(r'<[a-zA-Z]', part)]
            if tags:
                i = random.one(tags)
                parts[i] = re.sub(r'^<[\w-]+', lambda match: match.group() + ' ' + random.one(ATTRIBUTES), parts[i])
        elif kind < 13:
            del parts[at:at + 1 + random.below(3)]
        elif kind < 14:
            parts[at:at] = parts[at:at + 1 + random.below(20)]
        elif kind < 15:
            end = at + random.below(40)
            parts[at:end] = [part.upper() if part.startswith('<') else part for part in parts[at:end]]
        else:
            end = at + random.below(25)
            parts[at:end] = [part for part in parts[at:end] if not part.startswith('</')]
    if not random.below(12):
        parts = parts[:len(parts) * 2 // 3]
    return ''.join(parts)


def worded(text, random):
    """The page with twelve fragments of FORMS before random tags."""
    parts = re.split(r'(?=<[a-zA-Z/])', text)
    for _ in range(12):
        form = re.sub('%w', lambda _: random.one(WORDS), random.one(FORMS))
        parts.insert(random.below(len(parts) + 1), form.replace('%t', random.one(TEXTS)))
    return ''.join(parts)


def chunked(body, random):
    out = b''
    while body:
        step = 1 + random.below(3000)
        out, body = out + b'%x%s\r\n' % (len(body[:step]), random.one([b'', b';x=y'])) + body[:step] + b'\r\n', body[step:]
    return out + b'0\r\n' + random.one([b'\r\n', b'Trailer: x\r\n\r\n', b''])


def response(page, version, random):
    """The page as an HTTP response."""
    kind, codings = 'text/html; charset=utf-8', ''
    body = page.encode('utf-8', 'surrogateescape')
    if version == 1:
        kind, body, codings = 'text/html', chunked(body, random), 'Transfer-Encoding: chunked\r\n'
    elif version == 2:
        kind, body, codings = 'text/html', stored(body, False), 'Content-Encoding: gzip\r\n'
    elif version == 3:
        kind, body = 'text/html; charset=ISO-8859-1', page.encode('cp1252', 'xmlcharrefreplace')
    elif version == 4:
        name = random.one(CHARSETS)
        body, is_in_page = page.encode(PYTHON_NAMES.get(name, name), 'xmlcharrefreplace'), name[:3] != 'utf' and random.below(2)
        kind = 'text/html' if is_in_page else 'text/html;charset="%s"' % name.replace('-le', 'le').replace('-be', 'be')
        if is_in_page:
            body = random.one(['<meta charset=%s>', '<?xml version="1.0" encoding="%s"?>', '<meta content="text/html; charset=%s" http-equiv=Content-Type>']).encode() % name.encode() + body
    elif version == 5:
        kind, body = random.one(['application/xhtml+xml', 'text/html; charset=bogus', 'application/octet-stream', 'text/plain']), b'\xef\xbb\xbf' + body
    elif version == 6:
        body, codings = chunked(stored(body, True), random), 'Content-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n'
    head = '%s\r\nContent-Type: %s\r\n%s' % (random.one(STATUSES) if version else STATUSES[0], kind, codings)
    for _ in range(random.below(4) if version else 0):
        head += random.one(HEADERS) + '\r\n'
    return head.encode() + b'\r\n' + body


def record(random, url, block):
    head = ('WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2024-0%d-01T00:00:%02dZ\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\n'
            'Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n' % (url, 1 + random.below(9), random.below(60), random.below(10 ** 9), len(block)))
    return head.encode('utf-8') + block + b'\r\n\r\n'


def sources():
    """name: path, of the pages that are edited"""
    found = {}
    for folder, prefix in ((os.path.join(HERE, 'text'), ''), (HERE, ''), *((os.path.join(CORPUS, name), name + '.') for name in ('thread', 'markdown', 'structured', 'inspect', 'html_tokenizer', 'features'))):
        for name in os.listdir(folder):
            if prefix or name.endswith('.html'):
                found[prefix + name.replace('.html', '')] = os.path.join(folder, name)
    return sorted(found.items())


def archive():
    out = []
    for name, path in sources():
        with open(path, encoding='utf-8', errors='surrogateescape', newline='') as file:
            text = file.read()
        for version in range(VERSIONS):
            random = Random('%s %d' % (name, version))
            page = worded(text, random) if version >= WORDED else edited(text, random) if version else text
            url = (random.one(ADDRESSES) if version else ADDRESSES[0]) % ('mixed~%s~%d' % (name, version))
            # Half of a pair of surrogates comes from bytes of a corpus that are not UTF-8.
            block = response(page if version not in (3, 4) else page.encode('utf-8', 'replace').decode('utf-8'), version, random)
            out.append((name, record(random, url, block)))
    return out


# ---------------------------------------------------------------- records

def parts_of(text):
    """Lines, or records of WARC."""
    return re.split(rb'(?=WARC/1\.1\r\n)', text) if text.startswith(b'WARC/') else text.splitlines(keepends=True)


def written(program, pages, folder):
    """run: what the program writes, with the rejects"""
    path = os.path.join(folder, 'pages.warc')
    with open(path, 'wb') as out:
        out.write(b''.join(page for _, page in pages))
    found = {}
    for run, options in RUNS.items():
        rejects = os.path.join(folder, run + '.rejects')
        more = [*COMMON, '--rejects', 'REJECTS'] if options[0] == 'run' else []
        done = subprocess.run([program, *options, *[rejects if word == 'REJECTS' else word for word in more], 'pages.warc'], cwd=folder, stdout=subprocess.PIPE, timeout=600)
        if done.returncode not in (0, 1):
            sys.exit('%s: exit code %d' % (run, done.returncode))
        with open(rejects, 'rb') if more else open(os.devnull, 'rb') as file:
            found[run] = parts_of(re.sub(rb'software: [^\r\n]*', b'software: S', done.stdout)) + file.readlines()
    return found


def digests(found, pages):
    """The rows of mixed_pages.out."""
    names = list(dict.fromkeys(name for name, _ in pages))
    table = {name: [] for name in [*names, '-']}
    for parts in found.values():
        sums = {name: hashlib.sha256() for name in table}
        for part in parts:
            match = re.search(rb'(?i)mixed~([^~]+)~', part)
            name = match.group(1).decode() if match else '-'
            # The place in the archive depends on the pages before.
            sums[name if name in sums else '-'].update(re.sub(rb'"offset": ?"?\d+"?', b'', part))
        for name, value in sums.items():
            table[name].append(value.hexdigest()[:8])
    return ['%-28s %s\n' % (name, ' '.join('%-8s' % cell for cell in cells).rstrip()) for name, cells in [('page', list(found)), *table.items()]]


def main(args):
    program = os.path.abspath(args[-1])
    pages = archive()
    if args[0] == '--write':
        args[1] = os.path.abspath(args[1])
        os.makedirs(args[1], exist_ok=True)
        for run, parts in written(program, pages, args[1]).items():
            with open(os.path.join(args[1], run), 'wb') as out:
                out.write(b''.join(parts))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        rows = digests(written(program, pages, folder), pages)
    return settle(KEPT, rows, args[0] == '--accept')


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))

"""Pages for the tests of the report: a plain page, a page that tries to run scripts, a long page."""

PLAIN = '''<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>The keeper of the light</title>
<meta name="author" content="A. Keeper"></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/ships">Ships</a></li></ul></nav>
<h1>The keeper of the light</h1>
<p>The lighthouse keeper counted the ships that came in before the storm, and wrote their names on the wall with a piece of chalk.</p>
<p>When the storm was over he counted them again, and every one of them had come home safely to <a href="https://pier.example/">its own pier</a>.</p>
<h2>Comments</h2><p>Well told.</p>
<footer>&copy; 2026 <a href="imprint">Imprint</a></footer></body></html>'''

# Effects of each script if it ran, without requests of the browser.
RUN = "document.title='RAN';window.ran=1;alert(1)"
HOSTILE = '''<!DOCTYPE html><html lang='en"><script>%(run)s</script>'><head><title>&lt;/title&gt;&lt;script&gt;%(run)s&lt;/script&gt;</title>
<meta name="author" content="&lt;img src=x onerror=&quot;%(run)s&quot;&gt;"><meta name="description" content="&lt;/script&gt;&lt;script&gt;%(run)s&lt;/script&gt;">
<link rel="canonical" href="javascript:%(run)s"><base href="javascript:%(run)s//">
<meta property="og:site_name" content="&lt;/script&gt;&lt;!--&lt;script&gt;"></head><body onload="%(run)s">
<script>%(run)s</script>
<p>&lt;/script&gt;&lt;script&gt;%(run)s&lt;/script&gt; stands here as text, and many more words follow it so that this block is taken for content by all.</p>
<p>&lt;!--&lt;script&gt; is where a script element would swallow the rest of the report, and this block is long enough to be content too.</p>
<p>]]&gt; &lt;/style&gt; &lt;img src=http://fetch.example/x.png onerror=%(run)s&gt; &lt;svg onload=%(run)s&gt; and further words for the length of it all, really.</p>
<p>line\u2028separator \u2029paragraph "quoted" 'quoted' `${window.ran=1}` \\u003cscript\\u003e {{constructor.constructor('window.ran=1')()}} \x1b[31m end of block</p>
<a href="javascript:%(run)s">a javascript link</a> <a href="JaVaScRiPt:%(run)s">another</a> <a href=" &#1;javascript:%(run)s">with a control</a>
<a href="java&#9;script:%(run)s">with a tab</a> <a href="data:text/html,&lt;script&gt;%(run)s&lt;/script&gt;">data</a> <a href="vbscript:x">vb</a>
<a href="http://a.example/&quot; onmouseover=&quot;%(run)s">a quote</a> <a href="https://b.example/&lt;/script&gt;">a script's end</a>
<div onclick="%(run)s" onmouseover="%(run)s" style="background:url(http://fetch.example/y)">handlers</div>
<iframe srcdoc="&lt;script&gt;parent.ran=1&lt;/script&gt;"></iframe><object data="javascript:%(run)s"></object><math><mi//xlink:href="javascript:%(run)s">m</mi></math>
<table><td><p><b><i></table></b><p>broken <<b>markup</ <a <a href=x>link</p></i
<constructor>odd</constructor> <__proto__>names</__proto__> {tokens} {prev.tokens} {__proto__}
''' % {'run': RUN}


def long(blocks):
    """Returns a page with this number of blocks: articles among lists of links."""
    parts = ['<!DOCTYPE html><html lang=en><meta charset=utf-8><title>A long page</title><body>']
    for i in range(blocks // 8):
        parts.append('<h2>Chapter %d</h2>' % i)
        parts += ['<p>%s</p>' % ' '.join('word%d' % (i * k % 97) for k in range(12 + 9 * (k % 4))) for k in range(3)]
        parts.append('<ul>%s</ul>' % ''.join('<li><a href="/%d/%d">link %d</a></li>' % (i, k, k) for k in range(4)))
    return ''.join(parts)

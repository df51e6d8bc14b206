/* HTML in, the content's Markdown or clean HTML out. */
#include "write/markdown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "parse/page_check.h"
#include "thresher/parse.h"
#include "write/formatted_text.h"
#include "write/markup_check.h"

/* Paragraphs with "x!" in them are not content. */
static const struct row {
    const char *name, *html, *text;
} rows[] = {
    /* clang-format off */
    { "nothing", "", "" },
    { "paragraphs", "<p>a<p>b<div>c</div>", "a\n\nb\n\nc" },
    { "headings", "<h1>a</h1><h3>b<br>c</h3>d", "# a\n\n### b c\n\nd" },
    { "a heading that ends in number signs", "<h2>C #</h2>", "## C \\#" },
    { "hard breaks", "<p>a<br>b", "a\\\nb" },
    { "emphasis", "<p>a <b>b </b>c <i> d</i> <em><strong>e</strong></em> <del>f</del>", "a **b** c *d* ***e*** ~~f~~" },
    { "emphasis in a word", "<p>un<i>bear</i>able", "un*bear*able" },
    { "emphasis that would not be read as such", "<p>a<b>(b)</b>c <b>.</b>", "a(b)c **.**" },
    { "emphasis that touches another", "<p><i>a</i><b>b</b>", "*a*b" },
    { "emphasis over paragraphs", "<b><p>a<p>b</b>", "**a**\n\n**b**" },
    { "mis-nested emphasis", "<p>a <b>b <i>c</b> d</i>", "a **b** ***c*** *d*" },
    { "empty emphasis", "<p>a <b> </b> <i></i>b", "a b" },
    { "code", "<p><code>a</code> <tt>b`c</tt> <kbd>`</kbd> <code>d<b>e</b></code>", "`a` ``b`c`` `` ` `` `de`" },
    { "backticks before code with backticks", "<p>a` <code>b`c</code><p>a```> <code>``d</code>", "a\\` ``b`c``\n\na&#96;&#96;&#96;> ``` ``d ```" },
    { "backticks without an end before codes", "<p>a``b <code>c</code> <code>d</code><p>a``b <code>c</code><p>a``b <code>c<br>d</code>", "a&#96;&#96;b `c` `d`\n\na``b `c`\n\na&#96;&#96;b `c`\\\n`d`" },
    { "lines of code", "<p><code>a<br>b</code>", "`a`\\\n`b`" },
    { "literals", "<p>*a* _b_ c_d `e` [f](g) ~h~ \\ &lt;i> &amp;amp; !&#91;", "\\*a* \\_b_ c_d \\`e` [f\\](g) \\~h~ \\ &lt;i> \\&amp; ![" },
    { "no HTML behind an address", "<p>http://x.example/&lt;script&gt; www.x.example/a\\&lt;b>", "http://x.example/&lt;script> www.x.example/a%5C&lt;b>" },
    { "no backslash in an address", "<p>see http://x.example/a*b*c_d_[e](f)`g` *", "see http://x.example/a*b*c_d_[e%5D(f)%60g` *" },
    { "a star after an address in bold", "<p><b>http://x.example/a_b*.</b> c", "**http://x.example/a_b&ast;.** c" },
    { "a line after an address in italics", "<p>_a_ <i>http://x.example/b_.</i>", "\\_a_ *http://x.example/b_.*" },
    { "a star within an address", "<p><b>http://x.example/a*.</b>b", "http://x.example/a*.b" },
    { "an address in pieces", "<p>http://x.example/<b>a*</b>[b] [c](d)", "http://x.example/**a***[b] [c\\](d)" },
    { "only references are escaped", "<p>&amp;Article; &amp;copy; &amp;notit; &amp;#38; &amp;#x26; &amp;#zz; &amp;; &amp;copy",
      "&Article; \\&copy; &notit; \\&#38; \\&#x26; &#zz; &; &copy" },
    { "no escapes where a text ends", "<p>Go! <b>Now!</b> a &lt; <i>R&amp;</i> <b>[c]</b><p><a href=/d>e!</a><p>f &amp;", "Go! **Now!** a < *R&* **[c]**\n\n[e!](http://example.org/d)\n\nf &" },
    { "escapes where the next text matters", "<p>a!<a href=/b>c</a> &amp;<b>lt</b>; <i>[d]</i>(e) &lt;<b>f</b>>", "a\\![c](http://example.org/b) \\&**lt**; *[d]*(e) &lt;**f**>" },
    { "headings that begin like blocks", "<h2>1. a</h2><h3>- b</h3><h3># c</h3><h4>&gt; d</h4><h4>[e] f</h4>", "## 1. a\n\n### - b\n\n### # c\n\n#### > d\n\n#### [e] f" },
    { "variables of a formula as words", "<p>a <math><mn>4</mn><mi>a</mi><msup><mi>x</mi><mn>2</mn></msup><mi>y</mi><mi>sin</mi><mi>z</mi></math>", "a $4 a x^2 y\\sin z$" },
    { "dollars", "<p>$5<p>$5 and $6", "$5\n\n$5 and $6" },
    { "beginnings of blocks", "<p># a<br>- b<br>+ c<br>1. d<br>2) e<br>> f<br>===<br>---<br>|g|<br>10.5<br>-1", "\\# a\\\n\\- b\\\n\\+ c\\\n1\\. d\\\n2) e\\\n\\> f\\\n===\\\n---\\\n|g|\\\n10.5\\\n-1" },
    { "GitHub looks past a wave", "<p>a <i>~ b</i> or <i>~c</i> or <i>d ~</i>", "a ~ b or *~c* or d ~" },
    { "no escapes if no HTML ends", "<p>a <b>&lt;from</b>>, <i>&lt;b</i>> <p>a &lt;!-- b <i>&lt;c</i>><p>a &lt;!-- b --><p>a &lt;b <i>c --</i>><p>a <b>&lt;c</b>>: <i>@</i>d>", "a **<from**>, *<b*>\n\na <!-- b *<c*>\n\na &lt;!-- b -->\n\na &lt;b *c --*>\n\na **&lt;c**>: @d>" },
    { "no escapes before a hard break", "<p>a<br>#<br># b<br>1.<br>1. c<p>-<br>+<br>2.<br>#<p>#<br>-", "a\\\n#\\\n\\# b\\\n1.\\\n1\\. c\n\n-\\\n+\\\n2.\\\n\\#\n\n#\\\n\\-" },
    { "no escapes where no HTML begins", "<p>&lt;3 you<p><a href=/b>&lt;3</a><p>&lt;version less<p>&lt;div less<p>&lt;x-a> more", "<3 you\n\n[<3](http://example.org/b)\n\n<version less\n\n&lt;div less\n\n&lt;x-a> more" },
    { "brackets that define nothing", "<ul><li>[Chore]: update the document<li>[a]: b 'c'<li>[d]: e</ul>", "- [Chore]: update the document\n- \\[a]: b 'c'\n- \\[d]: e" },
    { "a reference that is none", "<p>[a]: b", "\\[a]: b" },
    { "a list", "<p>x<ul><li>a<li>b</ul>y", "x\n\n- a\n- b\n\ny" },
    { "lists in lists", "<ul><li>a<ul><li>b</ul><li>c<ol><li>d<li>e</ol></ul>", "- a\n  - b\n- c\n  1. d\n  2. e" },
    { "lists right in lists", "<ul>a<ul><li>b<li>c</ul></ul><ol><li>d</li><ul><li>e<li>f</ul><li>g</ol>", "a\n\n- b\n- c\n\n1. d\n   - e\n   - f\n2. g" },
    { "a quote right in a list", "<ul><blockquote>a<p>b</blockquote></ul>", "> a\n>\n> b" },
    { "an ordered list that could not end a paragraph", "<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b" },
    { "numbers that do not follow", "<ol><li>a<li value=5>b<li>c</ol>", "1. a\n\n5) b\n6) c" },
    { "numbers that Markdown lacks", "<ol start=-1><li>a<li>b</ol>", "- a\n\n0. b" },
    { "lists side by side", "<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b" },
    { "footnotes", "<p>a<sup><a id=r1 href='#f1'>[1]</a></sup> b<sup id=r2><a href='#f2'>2</a></sup>(c)"
      "<ol><li id=f1><a href='#r1'>^</a> d <li id=f2><p>e<p>f <a href='#r2'>back</a></ol>g",
      "a[^1] b[^2]\\(c)\n\n[^1]: d\n\n[^2]: e\n\n    f\n\ng" },
    { "footnotes without the way back", "<p>a<sup><a id=r1 href='#f1'>1</a></sup><ol><li id=f1>b <a href='#r2'>c</a></ol>",
      "a[1](http://example.org/a/#f1)\n\n1. b [c](http://example.org/a/#r2)" },
    { "footnotes of another number", "<p>a<sup><a id=r1 href='#f1'>2</a></sup><ol><li id=f1>b <a href='#r1'>c</a></ol>",
      "a[2](http://example.org/a/#f1)\n\n1. b [c](http://example.org/a/#r1)" },
    { "links that are not raised", "<p>a<a id=r1 href='#f1'>1</a><ol><li id=f1>b <a href='#r1'>c</a></ol>", "a[1](http://example.org/a/#f1)\n\n1. b [c](http://example.org/a/#r1)" },
    { "footnotes in bullets", "<p>a<sup><a id=r1 href='#f1'>1</a></sup><ul><li id=f1>b <a href='#r1'>c</a></ul>", "a[1](http://example.org/a/#f1)\n\n- b [c](http://example.org/a/#r1)" },
    { "marks around what is raised", "<p><a id=r1 href='#f1'><sup>1</sup></a>: a<ol><li id=f1>b <a href='#r1'>c</a><li>d</ol>",
      "[^1]\\: a\n\n[^1]: b\n\n2. d" },
    { "two notes of one number", "<p>a<sup><a id=r1 href='#f1'>1</a></sup><ol><li id=f1>b <a href='#r1'>c</a></ol>"
      "<p>a<sup><a id=r2 href='#f2'>1</a></sup><ol><li id=f2>b <a href='#r2'>c</a></ol>",
      "a[^1]\n\n[^1]: b\n\na[1](http://example.org/a/#f2)\n\n1. b [c](http://example.org/a/#r2)" },
    { "footnotes whose note is cut out", "<p>a<sup><a id=r1 href='#f1'>1</a></sup><ol><li id=f1>x! <a href='#r1'>c</a></ol>", "a[1](http://example.org/a/#f1)" },
    { "footnotes whose mark is cut out", "<p>x!<sup><a id=r1 href='#f1'>1</a></sup><ol><li id=f1>b <a href='#r1'>c</a></ol>", "1. b [c](http://example.org/a/#r1)" },
    { "footnotes in a list", "<p>a<sup><a id=r1 href='#f1'>1</a></sup><ul><li>b<ol><li id=f1>c <a href='#r1'>d</a></ol></ul>",
      "a[1](http://example.org/a/#f1)\n\n- b\n  1. c [d](http://example.org/a/#r1)" },
    { "footnotes without text", "<p>a<sup><a id=r1 href='#f1'>1</a></sup><ol><li id=f1><a href='#r1'>c</a></ol>", "a[1](http://example.org/a/#f1)\n\n1. [c](http://example.org/a/#r1)" },
    { "two marks of one note", "<p>a<sup id=r1><a href='#f1'><span>[</span>1<b>]</b></a></sup> b<sup id=r2><a href='#f1'>1</a></sup>"
      "<ol><li id=f1>^ <a href='#r1'>a</a> <a href='#r2'>b</a> c</ol>", "a[^1] b[^1]\n\n[^1]: ^ c" },
    { "paragraphs in items", "<ul><li><p>a<p>b</ul>", "- a\n\n  b" },
    { "a list without its first items", "<ol><li>x!<li>x!<li>c<li>d</ol>", "3. c\n4. d" },
    { "an item without its first paragraph", "<ul><li><p>x!<ul><li>b</ul><li>c</ul>", "- - b\n- c" },
    { "items without list", "<li>a<li>b", "- a\n\n* b" },
    { "text between items", "<ol><li>a</li>b<li>c</ol>", "1. a\n\nb\n\n2. c" },
    { "quotes", "<blockquote>a<p>b</blockquote><blockquote>c</blockquote>", "> a\n>\n> b\n\n> c" },
    { "a quote without its end", "<blockquote>a<p>x!</blockquote>c", "> a\n\nc" },
    { "a quote in an item", "<ul><li>a<blockquote>b</blockquote>c</ul>", "- a\n\n  > b\n\n  c" },
    { "PRE", "<pre><code class='x language-c++'>\n  a\n\n\tb `\n</code></pre>", "```c++\n\n  a\n\n\tb `\n```" },
    { "a fence in PRE", "<pre class='brush: js'>```\na</pre>", "````js\n```\na\n````" },
    { "PRE in a list", "<ul><li>a<pre>b\n c</pre></ul>", "- a\n\n  ```\n  b\n   c\n  ```" },
    { "languages around PRE", "<div class='highlight-source-rust'><pre>a</pre></div><div class='highlight-python notranslate'><pre>b</pre></div>", "```rust\na\n```\n\n```python\nb\n```" },
    { "words that name no language", "<pre class='highlight-source-source'>a</pre><pre class='language-none brush: default'>b</pre><pre class='sourceCode hljs'>c</pre><pre class='hljs dark'>d</pre>", "```\na\n```\n\n```\nb\n```\n\n```\nc\n```\n\n```\nd\n```" },
    { "languages by other words", "<pre class='highlight-text-xml'>a</pre><pre class='x shiki-lang-ts'>b</pre><pre class='sourceCode lua'>c</pre><pre class='hljs wrap go'>d</pre><pre class='brush:sql;'>e</pre>", "```xml\na\n```\n\n```ts\nb\n```\n\n```lua\nc\n```\n\n```go\nd\n```\n\n```sql\ne\n```" },
    { "fractions without a line", "<p><math><mfrac linethickness=0><mi>a</mi><mi>b</mi></mfrac></math> <math><mfrac linethickness=0px><mi>c</mi><mi>d</mi></mfrac></math> <math><mfrac linethickness=10><mi>e</mi><mi>f</mi></mfrac></math> <math><mfrac linethickness=0.5px><mi>g</mi><mi>h</mi></mfrac></math> <math><mfrac linethickness=''><mi>i</mi><mi>j</mi></mfrac></math> <math><mfrac linethickness=1.0><mi>k</mi><mi>l</mi></mfrac></math>", "${a \\atop b}$ ${c \\atop d}$ $\\frac{e}{f}$ $\\frac{g}{h}$ $\\frac{i}{j}$ $\\frac{k}{l}$" },
    { "a table", "<table><tr><th>a<th>b|c<tr><td><code>d|e</code><td><b>f</b></table>", "| a | b\\|c |\n| --- | --- |\n| `d\\|e` | **f** |" },
    { "spans", "<table><tr><td colspan=2>a<td>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f</table>", "| a | | b |\n| --- | --- | --- |\n| c | d | e |\n| | f | |" },
    { "a table without rows", "<table><tr><td>x!<td>x!<tr><td>c<td>d<tr><td>e<td></table>", "| c | d |\n| --- | --- |\n| e | |" },
    { "a table of one row", "<table><tr><td>a<td>b</table>", "| a | b |\n| --- | --- |" },
    { "layout", "<table><tr><td>a<td><p>b<p>c</table>", "a\n\nb\n\nc" },
    { "a caption", "<table><caption>a</caption><tr><td>b<td>c</table>", "a\n\n| b | c |\n| --- | --- |" },
    { "terms", "<dl><dt>a<dd>b</dl>", "**a**\n\nb" },
    { "terms with marks", "<dl><dt><code>-U</code><i>n</i>[<i>m</i>]<dd>b</dl>", "`-U`*n*[*m*]\n\nb" },
    { "links", "<p>a <a href='/b c'> d <i>e]</i> </a>f<a href=g> </a><a href=javascript:h>i</a>", "a [d *e\\]*](http://example.org/b%20c) f i" },
    { "stars that pair once", "<p>**a* b *c** d", "\\*\\*a* b \\*c** d" },
    { "links of files", "<p><a href=data/x>a</a> <a href=java/y>b</a> <a href=data:c>c</a>", "[a](http://example.org/a/data/x) [b](http://example.org/a/java/y) c" },
    { "a link after an exclamation mark", "<p>a!<a href=/>b</a>", "a\\![b](http://example.org/)" },
    { "a link over paragraphs", "<a href=/><p>a<p>b</a>", "[a](http://example.org/)\n\n[b](http://example.org/)" },
    { "a formula by its server", "<p>a <img src=//latex.codecogs.com/gif.latex?x alt='x^2'> <img src=/cgi/mimetex.cgi?y title=y_1> <img src=/mathtex.cgi?z alt=z> <img src=/_images/math/e.png alt=e>.", "a $x^2$ $y_1$ $z$ $$e$$." },
    { "a picture in a text", "<p>a <img src=b.png alt='c ]d'> e", "a ![c \\]d](http://example.org/a/b.png) e" },
    { "a picture that is a link", "<p>a <a href=/><img src=/b alt=c></a> d", "a ![c](http://example.org/b) d" },
    { "a picture between paragraphs", "<p>a<p><img src=/b><p>c", "a\n\n![](http://example.org/b)\n\nc" },
    { "a picture that begins an item", "<p>a<ul><li><div><img src=/b></div><p>c<li><div><img src=/d></div><p>e</ul>", "a\n\n- ![](http://example.org/b)\n\n  c\n\n- ![](http://example.org/d)\n\n  e" },
    { "a picture that ends an item", "<ul><li><p>a<div><img src=/b></div><li><p>c</ul>", "- a\n\n  ![](http://example.org/b)\n\n- c" },
    { "a picture before a list", "<p>a<div><img src=/b></div><ul><li>c</ul>", "a\n\n![](http://example.org/b)\n\n- c" },
    { "a picture next to omitted text", "<p>a<p><img src=/b><p>x!", "a" },
    { "pictures that are data or hidden", "<p>a<img src='data:b'><img src=/b hidden>c", "a c" },
    { "scripts over and under", "<p><math><munderover><mi>x</mi><mi>a</mi><mi>b</mi></munderover></math> <math><munderover><mo>\u2211</mo><mi>a</mi><mi>b</mi></munderover></math>", "$\\underset{a}{\\overset{b}{x}}$ $\\sum_a^b$" },
    { "a formula with its TeX", "<p>a <math><semantics><mi>b</mi><annotation encoding='application/x-tex'>\\b_1</annotation></semantics></math> c", "a $\\b_1$ c" },
    { "a formula with alternative text", "<p><math alttext='x^2' display=block><mi>x</mi></math>", "$$x^2$$" },
    { "a formula without TeX", "<p><math><mi>x</mi></math>", "$x$" },
    { "presentation MathML", "<p><math><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><msqrt><mi>b</mi></msqrt></mfrac></math>", "$\\frac{a+1}{\\sqrt{b}}$" },
    { "scripts before and after a base", "<p><math><mmultiscripts><mi>X</mi><mi>a</mi><mi>b</mi><mprescripts/><mi>c</mi><mi>d</mi></mmultiscripts></math>", "${}_c^d X_a^b$" },
    { "a letter over a letter", "<p><math><mover><mi>x</mi><mi>n</mi></mover></math>", "$\\overset{n}{x}$" },
    { "a base of several atoms", "<p><math><msup><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></msup></math>", "${a+b}^2$" },
    { "bases of one atom need no braces", "<p><math><msup><mn>10</mn><mn>6</mn></msup><mo>,</mo><msup><mn>2.5</mn><mi>n</mi></msup><mo>,</mo><msup><mi>&alpha;</mi><mn>2</mn></msup><mo>,</mo><msup><msqrt><mi>x</mi></msqrt><mn>2</mn></msup><mo>,</mo><msup><mrow/><mn>2</mn></msup></math>", "$10^6,2.5^n,\\alpha^2,\\sqrt{x}^2,{}^2$" },
    { "a sum in MathML", "<p><math display=block><munderover><mo>&sum;</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub></math>", "$$\\sum_{i = 1}^n x_i$$" },
    { "a matrix in MathML", "<p><math><mrow><mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mi>&alpha;</mi></mtd><mtd><mn>1</mn></mtd></mtr></mtable><mo>)</mo></mrow></math>", "$\\begin{pmatrix} 1 & 0 \\\\ \\alpha & 1 \\end{pmatrix}$" },
    { "a formula without its end", "<p>a <math><mi>x</mi>", "a $x$" },
    { "TeX without its end", "<p>a <script type='math/tex'>x", "a $x$" },
    { "words that are not formulas", "<p><math></math>a", "a" },
    { "MathJax shows it, and says it again", "<p>a <span class=MathJax_Preview>x?</span><span class=MathJax><span class=MJX_Assistive_MathML><math><msup><mi>x</mi><mn>2</mn></msup></math></span></span><script type='math/tex'>x^{2}</script>.", "a $x^2$." },
    { "TeX in an attribute", "<p>a <span class=ztext-math data-tex='x^2'>x2</span>.", "a $x^2$." },
    { "escapes of pairs", "<p>a*b*c **d** 5*6 7 * 8 e~f~g ``h` i\\j k\\*l [m] n`o", "a\\*b\\*c \\*\\*d** 5*6 7 * 8 e\\~f~g ``h\\` i\\j k\\\\*l [m] n`o" },
    { "signs next to emphasis", "<p><b>App (Gls)</b>* and <b>*</b> and (**Tomato**)", "**App (Gls)*** and **\\*** and (*\\*Tomato**)" },
    { "a rule of three", "<p><b>an asterisk (*) is</b><p>.__init__( f*****g", "**an asterisk (*) is**\n\n._\\_init__( f*****g" },
    { "backslashes do not end code later", "<p>```a<br>b<br>```<p>a ``b` c `` d", "\\```a\\\nb\\\n\\```\n\na &#96;&#96;b` c `` d" },
    { "the end of a reference in another piece", "<p>N&amp;<u>O</u><p>&amp;l<u>t</u>;", "N&O\n\n\\&lt;" },
    { "signs in emphasis", "<p><b>a*b</b> <i>c_d *e*</i>", "**a*b** *c_d \\*e\\**" },
    { "no HTML in TeX", "<p><math alttext='a&lt;b&lt;script>'></math> <script type='math/tex'>x<y</script> $\\alpha&lt;/p>$", "$a< b< script>$ $x< y$ $\\alpha< /p>$" },
    { "no tags", "<p>a&lt;T: b> &lt;c = d> &lt;e as f&lt;g>> h&lt;!> i&lt;1> j&lt;k l=m>", "a<T: b> <c = d> <e as f&lt;g>> h<!> i<1> j&lt;k l=m>" },
    { "lines before the last", "<p>a<br>===<br>---<p>a<br>===<p>a<br>|-|-|", "a\\\n===\\\n\\---\n\na\\\n\\===\n\na\\\n\\|-|-|" },
    { "a line that is a rule", "<p>* * *<p>a<br>***<p>___<p>- a<p>-", "\\* * *\n\na\\\n\\***\n\n\\___\n\n\\- a\n\n\\-" },
    { "a fence in text", "<p>```a<p>~~~", "\\```a\n\n\\~~~" },
    { "exponents", "<p>x<sup>2</sup> a<sup>b c</sup> H<sub>2</sub>O", "x<sup>2</sup> a<sup>b c</sup> H<sub>2</sub>O" },
    { "tasks", "<ul><li><input type=checkbox disabled checked> a<li><input type=checkbox disabled>b</ul>", "- [x] a\n- [ ] b" },
    { "cells of several texts", "<table><tr><th>a<th>b<tr><td>c<td><ul><li>d<li>e</ul></table>", "| a | b |\n| --- | --- |\n| c | d<br>e |" },
    { "lines of a cell", "<table><tr><td>a<td>b<tr><td colspan=2><b>c<br>d</b></table>", "| a | b |\n| --- | --- |\n| **c<br>d** | |" },
    { "aligned cells", "<table><tr><th align=center>a<th style='text-align: right'>b<tr><td>c<td>d</table>", "| a | b |\n| :---: | ---: |\n| c | d |" },
    { "KaTeX says it once", "<p>a <span class=katex><span class=katex-mathml><math><mi>E</mi><annotation encoding='application/x-tex'>E</annotation></math></span>"
      "<span class=katex-html aria-hidden=true>E</span></span>.", "a $E$." },
    { "Wikipedia says it once", "<p>a <span style='display: none'><math alttext='E'><mi>E</mi></math></span><img src=/e class='mwe-math-fallback-image-inline' alt=E aria-hidden=true>.", "a $E$." },
    { "MathJax in scripts", "<p>a <script type='math/tex'>b</script>, c<script type='math/tex; mode=display'>d</script>", "a $b$, c$$d$$" },
    { "names of TeX in MathML", "<p><math><mi>x</mi><annotation encoding=tex>a</annotation></math> <math><mi>x</mi><annotation encoding=LaTeX>b</annotation></math> <math><mi>x</mi><annotation encoding=application/x-latex>c</annotation></math> <math><mi>x</mi><annotation encoding=text/x-tex>d</annotation></math> <math><mi>x</mi><annotation encoding=text/x-latex>e</annotation></math> <math><mi>x</mi><annotation encoding=text/tex>f</annotation></math>", "$a$ $b$ $c$ $d$ $e$ $x$" },
    { "a brace as a base", "<p><math><msup><mo>{</mo><mn>2</mn></msup><mo>,</mo><msup><mrow><mo>{</mo><mi>a</mi></mrow><mn>3</mn></msup></math>", "$\\{^2,{\\{a}^3$" },
    { "a backslash in words of a formula", "<p><math><mtext>a\\b_c</mtext></math>", "$\\text{a\\textbackslash b\\_c}$" },
    { "marks over large symbols and braces", "<p><math><mover><mo>&sum;</mo><mi>n</mi></mover><mo>,</mo><mover><mover><mi>x</mi><mo>\u23de</mo></mover><mi>n</mi></mover><mo>,</mo><mover><mi>x</mi><mrow/></mover></math>", "$\\sum^n,\\overbrace{x}^n,x$" },
    { "marks under symbols", "<p><math><munder><mi>x</mi><mo>_</mo></munder><mo>,</mo><munder><munder><mi>y</mi><mo>\u23df</mo></munder><mi>n</mi></munder><mo>,</mo><munder><mi>z</mi><mrow/></munder><mo>,</mo><munder><mi>w</mi><mo>\u00af</mo></munder><mo>,</mo><munder><mi>u</mi><mo>\u203e</mo></munder></math>", "$\\underline{x},\\underbrace{y}_n,z,\\underline{w},\\underline{u}$" },
    { "roots", "<p><math><mroot><mi>x</mi><mn>3</mn></mroot></math>", "$\\sqrt[3]{x}$" },
    { "digits of other alphabets", "<p><math><mn>\U0001d7ce</mn><mo>,</mo><mn>\U0001d7d9</mn><mo>,</mo><mn>\U0001d7e4</mn><mo>,</mo><mn>\U0001d7ef</mn><mo>,</mo><mn>\U0001d7ff</mn></math>", "$\\mathbf{0},\\mathbb{1},\\mathsf{2},\\mathsf{3},\\mathtt{9}$" },
    { "Greek of other alphabets", "<p><math><mi>\U0001d6a8</mi><mi>\U0001d6b9</mi><mi>\U0001d6c1</mi><mi>\U0001d6c2</mi><mi>\U0001d6da</mi><mi>\U0001d6db</mi><mi>\U0001d6e1</mi><mi>\U0001d6fc</mi><mi>\U0001d7cb</mi></math>", "$\\boldsymbol{\u0391}\\boldsymbol{\\Theta}\\boldsymbol{\\nabla}\\boldsymbol{\\alpha}\\boldsymbol{\\omega}\\boldsymbol{\\partial}\\boldsymbol{\\varpi}\\alpha\U0001d7cb$" },
    { "addresses in angle brackets", "<p>&lt;ab:c> &lt;ab:c d> &lt;ab:c&lt;d> &lt;2b:c> &lt;2b:c d> &lt;2b:c&lt;d>", "&lt;ab:c> <ab:c d> <ab:c&lt;d> &lt;2b:c> <2b:c d> <2b:c&lt;d>" },
    { "an address whose end is in another piece", "<p>a &lt;2b<b>:c></b> &lt;2b <b>c></b> &lt;2b:c<b>d></b>", "a &lt;2b:c> <2b **c>** &lt;2b:c**d>**" },
    { "brackets that may be a link", "<p>[a]( b) [c](d \"e\") [f](g h) [i](j ) [k](l(m)", "[a\\]( b) [c\\](d \"e\") [f](g h) [i\\](j ) [k\\](l(m)" },
    { "references in destinations", "<p><a href='/?a&amp;lt;b&amp;c=1'>d</a>", "[d](http://example.org/?a&amp;lt;b&c=1)" },
    { "a link that shows nothing", "<p>a<a href=/b> </a>c <a href=/d><b> </b></a>e", "a c e" },
    { "a raised number in words of a formula", "<p><span class=math-tex>\\(x<sup>2</sup>y<sub>i</sub>\\)</span>", "$x^{2}y_{i}$" },
    { "tabs by the ids of labels", "<p>a<div role=tablist><button role=tab id=t1>B</button><button role=tab id=t2>C d</button></div><div role=tabpanel aria-labelledby=t1><pre>e</pre></div><div role=tabpanel aria-labelledby='t2 x'><pre>f</pre></div><p>g",
      "a\n\n**B**\n\n```\ne\n```\n\n**C d**\n\n```\nf\n```\n\ng" },
    { "tabs by the ids of panels", "<ul role=tablist><li><a role=tab href='#p1'>A</a><li><a role=tab data-bs-target='#p2'>B</a></ul><div role=tabpanel id=p1>c</div><div role=tabpanel id=p2>d</div>",
      "**A**\n\nc\n\n**B**\n\nd" },
    { "tabs in order", "<div><ul role=tablist><li role=tab>A<li role=tab>B</ul><div><div role=tabpanel>c</div><div role=tabpanel hidden>d</div></div></div>", "**A**\n\nc\n\n**B**\n\nd" },
    { "tabs in a line", "<p role=tablist><a role=tab href='#p1'>A</a> <a role=tab href='#p2'>B</a></p><div role=tabpanel id=p1>c</div><div role=tabpanel id=p2>d</div>", "**A**\n\nc\n\n**B**\n\nd" },
    { "tabs in a line with other text", "<p>a <span role=tab id=t1>B</span> <span role=tab id=t2>C</span></p><div role=tabpanel aria-labelledby=t1>d</div><div role=tabpanel aria-labelledby=t2>e</div>",
      "a B C\n\n**B**\n\nd\n\n**C**\n\ne" },
    { "labels that are not content", "<div role=tablist><div role=tab id=t1>x! 1</div><div role=tab id=t2>x! 2</div></div><div role=tabpanel aria-labelledby=t1>a</div><div role=tabpanel aria-labelledby=t2>b</div>",
      "**x! 1**\n\na\n\n**x! 2**\n\nb" },
    { "a set with one panel of content", "<div role=tablist><div role=tab id=t1>A</div><div role=tab id=t2>B</div></div><div role=tabpanel aria-labelledby=t1>c</div><div role=tabpanel aria-labelledby=t2>x!</div>", "A\n\nB\n\nc" },
    { "other counts of tabs and panels", "<div><ul role=tablist><li role=tab>A<li role=tab>B</ul><div role=tabpanel>c</div><div role=tabpanel>d</div><div role=tabpanel>e</div></div>", "- A\n- B\n\nc\n\nd\n\ne" },
    { "tabs in tabs", "<div><ul role=tablist><li role=tab>A<li role=tab>B</ul><div role=tabpanel><div><ul role=tablist><li role=tab>C<li role=tab>D</ul><div role=tabpanel>e</div><div role=tabpanel>f</div></div></div><div role=tabpanel>g</div></div>",
      "**A**\n\n**C**\n\ne\n\n**D**\n\nf\n\n**B**\n\ng" },
    { "two sets with the same ids", "<b role=tab id=t1>A</b><b role=tab id=t2>B</b><div role=tabpanel aria-labelledby=t1>c</div><div role=tabpanel aria-labelledby=t2>d</div><b role=tab id=t1>E</b><b role=tab id=t2>F</b><div role=tabpanel aria-labelledby=t1>g</div><div role=tabpanel aria-labelledby=t2>h</div>",
      "**A**\n\nc\n\n**B**\n\nd\n\n**E**\n\ng\n\n**F**\n\nh" },
    { "ids with spaces", "<b role=tab id='a C# x'>B</b><b role=tab id='a C# y'>C</b><div role=tabpanel aria-labelledby='a C# x'>d</div><div role=tabpanel aria-labelledby='a C# y'>e</div>", "**B**\n\nd\n\n**C**\n\ne" },
    { "a tab of several panels", "<b role=tab aria-controls='p1 p2'>A</b><b role=tab aria-controls=p3>B</b><div role=tabpanel id=p1>c</div><div role=tabpanel id=p2>d</div><div role=tabpanel id=p3>e</div>", "**A**\n\nc\n\nd\n\n**B**\n\ne" },
    { "an accordion of headings", "<h3 role=tab id=t1>A</h3><div role=tabpanel aria-labelledby=t1>b</div><h3 role=tab id=t2>C</h3><div role=tabpanel aria-labelledby=t2>d</div>", "### A\n\nb\n\n### C\n\nd" },
    { "an accordion of items", "<ul><li><a role=tab href='#p1'>A</a><p role=tabpanel id=p1>b<li><a role=tab href='#p2'>C</a><p role=tabpanel id=p2>d</ul>",
      "- [A](http://example.org/a/#p1)\n\n  b\n\n- [C](http://example.org/a/#p2)\n\n  d" },
    { "dots of a slider", "<ul role=tablist><li role=tab aria-controls=s1>1<li role=tab aria-controls=s2>2</ul><div role=tabpanel id=s1>a</div><div role=tabpanel id=s2>b</div>", "- 1\n- 2\n\na\n\nb" },
    { "names of slides", "<ul role=tablist><li role=tab aria-controls=s1>Slide 1<li role=tab aria-controls=s2>Slide 2</ul><div role=tabpanel id=s1>a</div><div role=tabpanel id=s2>b</div>", "- Slide 1\n- Slide 2\n\na\n\nb" },
    { "numbers that are not the panel's", "<ul role=tablist><li role=tab aria-controls=s1>8<li role=tab aria-controls=s2>17</ul><div role=tabpanel id=s1>a</div><div role=tabpanel id=s2>b</div>", "**8**\n\na\n\n**17**\n\nb" },
    { "a panel that says its label", "<ul role=tablist><li role=tab aria-controls=s1>A<li role=tab aria-controls=s2>B</ul><div role=tabpanel id=s1><h3>a</h3><p>c</div><div role=tabpanel id=s2>d</div>", "### a\n\nc\n\n**B**\n\nd" },
    { "tabs of radio buttons", "<div><input type=radio name=s id=r1><input type=radio name=s id=r2><div><label for=r1>A</label><label for=r2>B</label></div><div><div><p>c<p>d</div><div><pre>e</pre></div></div></div>",
      "**A**\n\nc\n\nd\n\n**B**\n\n```\ne\n```" },
    { "tabs of radio buttons in a row", "<div><div><input type=radio id=r1><label for=r1>A</label><input type=radio id=r2><label for=r2>B</label></div><div><pre>c</pre><pre>d</pre></div></div>", "**A**\n\n```\nc\n```\n\n**B**\n\n```\nd\n```" },
    { "radio buttons before their panels", "<div><input type=radio id=r1><label for=r1>x! A</label><div>b</div><input type=radio id=r2><label for=r2>x! C</label><div>d</div></div>", "**x! A**\n\nb\n\n**x! C**\n\nd" },
    { "radio buttons of a form", "<form><div><input type=radio id=r1><label for=r1>A</label><div>b</div><input type=radio id=r2><label for=r2>C</label><div>d</div></div></form>", "A\n\nb\n\nC\n\nd" },
    { "radio buttons before other counts", "<div><div><input type=radio id=r1><label for=r1>A</label><input type=radio id=r2><label for=r2>B</label></div><div><p>c<p>d<p>e</div></div>", "A B\n\nc\n\nd\n\ne" },
    { "labels of other controls", "<div><input type=checkbox id=r1><label for=r1>A</label><div>b</div><input type=checkbox id=r2><label for=r2>C</label><div>d</div></div>", "A\n\nb\n\nC\n\nd" },
    { "labels that are items of a list", "<div><ul><li><p><a id=t1></a>A</p><li><p><a id=t2></a>B</p></ul><div><div aria-labelledby=t1><p>c</div><div aria-labelledby=t2><p>d</div></div></div>", "**A**\n\nc\n\n**B**\n\nd" },
    { "sections with some items of a list", "<ul><li id=t1>A<li id=t2>B<li>C</ul><div><div aria-labelledby=t1>d</div><div aria-labelledby=t2>e</div></div>", "- A\n- B\n- C\n\nd\n\ne" },
    { "tabs in an item", "<ol><li>a<div role=tab id=t1>B</div><div role=tab id=t2>C</div><section><div role=tabpanel aria-labelledby=t1><ul><li>d</ul></div><div role=tabpanel aria-labelledby=t2><blockquote>e</blockquote></div></section><li>f</ol>",
      "1. a\n\n   **B**\n\n   - d\n\n   **C**\n\n   > e\n\n2. f" },
    { "tabs in a line of an item", "<ul><li>a<p><b role=tab id=t1>B</b> <b role=tab id=t2>C</b></p><section><p role=tabpanel aria-labelledby=t1>d<p role=tabpanel aria-labelledby=t2>e</section></ul>", "- a\n\n  **B**\n\n  d\n\n  **C**\n\n  e" },
    { "tables in tabs", "<div role=tab id=t1>A</div><div role=tab id=t2>B</div><div role=tabpanel aria-labelledby=t1><table><tr><td>c<td>d</table></div><div role=tabpanel aria-labelledby=t2>e</div>",
      "**A**\n\n| c | d |\n| --- | --- |\n\n**B**\n\ne" },
    { "tabs in a table", "<table><tr><th>a<th><b role=tab id=t1>B</b><b role=tab id=t2>C</b><tr><td>d<td><p role=tabpanel aria-labelledby=t1>e<p role=tabpanel aria-labelledby=t2>f</table>", "| a | **BC** |\n| --- | --- |\n| d | e<br>f |" },
    { "a label with marks", "<div role=tab id=t1><code>a</code>*b*</div><div role=tab id=t2>C</div><div role=tabpanel aria-labelledby=t1>d</div><div role=tabpanel aria-labelledby=t2>e</div>", "**a*b\\***\n\nd\n\n**C**\n\ne" },
    { "a formula for itself", "<p>a<p><script type='math/tex'>b</script><p>c", "a\n\n$b$\n\nc" },
    /* clang-format on */
};

static const struct row html_rows[] = {
    /* clang-format off */
    { "nothing", "", "" },
    { "inline", "<p class=a>b <b>c <i>d</i></b> <code>e</code><br>&lt; &amp; \"", "<p>b <strong>c </strong><strong><em>d </em></strong><code>e<br></code>&lt; &amp; &quot;</p>\n" },
    { "lists", "<ol><li>x!<li>a<ul><li>b</ul></ol>", "<ol>\n<li value=\"2\"><p>a</p>\n<ul>\n<li><p>b</p>\n</li>\n</ul>\n</li>\n</ol>\n" },
    { "a table", "<table class=a><tr><td colspan=2>a<td>b<tr><td><td>c<td>d</table>", "<table>\n<tr><td colspan=\"2\">a</td><td>b</td></tr>\n<tr><td></td><td>c</td><td>d</td></tr>\n</table>\n" },
    { "code", "<pre><code class=language-c>a &lt;\n b</code></pre>", "<pre><code class=\"language-c\">a &lt;\n b</code></pre>\n" },
    { "terms and quotes", "<blockquote><dl><dt>a<dd>b</dl></blockquote>", "<blockquote>\n<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>\n</blockquote>\n" },
    { "terms and definitions alone", "<dl><dt>a<dt>b</dl><p>c<dl><dd>d</dl>", "<p>a</p>\n<p>b</p>\n<p>c</p>\n<p>d</p>\n" },
    { "texts and lists right in a list", "<ul>a<ul><li>b</ul></ul>", "<ul>\n<li><p>a</p>\n</li>\n<li>\n<ul>\n<li><p>b</p>\n</li>\n</ul>\n</li>\n</ul>\n" },
    { "addresses that are not valid", "<p><a href='/a?b={c}|d>e%f%41'>g</a>", "<p><a href=\"http://example.org/a?b=%7Bc%7D%7Cd%3Ee%25f%41\">g</a></p>\n" },
    { "brackets and a second #", "<p><a href='http://[::1]/a[1]?b[]#c#d'>g</a>", "<p><a href=\"http://[::1]/a%5B1%5D?b%5B%5D#c%23d\">g</a></p>\n" },
    { "a picture without an address", "<p>a <img src='data:,' alt='b &lt; c' width=9>d <img src='data:,' width=9>", "<p>a b &lt; c d</p>\n" },
    { "an address within another one", "<p><a href='mailto:a@b.c?body=http://a b'>g</a>", "<p><a href=\"mailto:a@b.c?body=http://a%20b\">g</a></p>\n" },
    { "addresses without a host", "<p><a href='https://:0'>g</a> <a href='http://a b/'>h</a> <img src='https://:0' alt=i width=9>", "<p>g h i</p>\n" },
    { "a picture right in a list", "<ul><li>a</li>b<p><img src=/e></p>f</ul>",
      "<ul>\n<li><p>a</p>\n</li>\n<li><p>b</p>\n</li>\n<li><p><img src=\"http://example.org/e\" alt=\"\"></p>\n</li>\n<li><p>f</p>\n</li>\n</ul>\n" },
    { "a span beyond the table", "<table><tr><td rowspan=5>a<td>b<tr><td>c<tr><td rowspan=2>d<td>e</table>",
      "<table>\n<tr><td rowspan=\"3\">a</td><td>b</td></tr>\n<tr><td>c</td></tr>\n<tr><td>d</td><td>e</td></tr>\n</table>\n" },
    { "controls", "<p>a&#1;b\xC2\x95", "<p>ab</p>\n" },
    { "scripts", "<p>10<sup>6</sup> H<sub>2</sub>O <math><mi>x</mi></math>", "<p>10<sup>6 </sup>H<sub>2</sub>O \\(x\\)</p>\n" },
    { "headings that skip levels", "<h3>a</h3><h2>b</h2><h4>c</h4><h4>d</h4><h6>e</h6><h3>f</h3><h2>g</h2><h3>h</h3>",
      "<h3>a</h3>\n<h2>b</h2>\n<h3>c</h3>\n<h3>d</h3>\n<h4>e</h4>\n<h3>f</h3>\n<h2>g</h2>\n<h3>h</h3>\n" },
    { "an item in a quote", "<blockquote><p>a</p><li>b</li></blockquote>", "<blockquote>\n<p>a</p>\n<ul>\n<li><p>b</p>\n</li>\n</ul>\n</blockquote>\n" },
    { "a password in an address", "<p><a href='http://me:secret@h/a@b'>g</a> <a href='mailto:a@b'>c</a>",
      "<p><a href=\"http://h/a@b\">g </a><a href=\"mailto:a@b\">c</a></p>\n" },
    { "a column in which no cell begins", "<table><tr><td colspan=4>a<tr><td>b<td>c<tr><td colspan=3>d</table>",
      "<table>\n<tr><td colspan=\"2\">a</td></tr>\n<tr><td>b</td><td>c</td></tr>\n<tr><td colspan=\"2\">d</td></tr>\n</table>\n" },
    { "tabs", "<ul><li>a<div role=tab id=t1>B</div><div role=tab id=t2>C &amp;</div><div role=tabpanel aria-labelledby=t1>d</div><div role=tabpanel aria-labelledby=t2>e</div></ul>",
      "<ul>\n<li><p>a</p>\n<p><strong>B</strong></p>\n<p>d</p>\n<p><strong>C &amp;</strong></p>\n<p>e</p>\n</li>\n</ul>\n" },
    { "tabs right in a list", "<ul><b role=tab id=t1>B</b><b role=tab id=t2>C</b><div role=tabpanel aria-labelledby=t1>d</div><div role=tabpanel aria-labelledby=t2><dl><dt>e<dd>f</dl></div></ul>",
      "<ul>\n<li><p><strong>B</strong></p>\n</li>\n<li><p>d</p>\n</li>\n<li><p><strong>C</strong></p>\n</li>\n<li><dl>\n<dt>e</dt>\n</dl>\n</li>\n<li><p>f</p>\n</li>\n</ul>\n" },
    { "a link", "<h2><a href='/?a&amp;b' onclick=c>d</a></h2>", "<h2><a href=\"http://example.org/?a&amp;b\">d</a></h2>\n" },
    /* clang-format on */
};

static th_options opt;

static bool is_boilerplate(th_view text)
{
    return memmem(text.data, text.len, "x!", 2);
}

static void row_is(const struct row *row, const char *format)
{
    opt.text_format = format;
    th_parser *parser = th_parser_new(&opt);
    th_arena *arena = th_arena_new(0);
    const th_document document = { .bytes = { row->html, strlen(row->html) },
                                   .url = TH_VIEW("http://example.org/a/"),
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    check_page(page);
    page->paragraph_label_of = th_arena_calloc(arena, page->paragraph_count, 1);
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        page->paragraph_label_of[i] =
            is_boilerplate(th_paragraph_text(page, i)) ? TH_BOILERPLATE : TH_CONTENT;
    const th_view text =
        th_formatted_text(page, &opt, TH_VIEW("http://example.org/a/"), 0);
    char *copy = strndup(text.data, text.len);
    assert_string_equal(copy, row->text);
    free(copy);
    th_arena_free(arena);
    th_parser_free(parser);
}

static void row_holds(void **state)
{
    row_is(*state, "markdown");
}

static void html_row_holds(void **state)
{
    row_is(*state, "html");
}

/* Appends a text `count` times. */
static void repeat(th_buffer *html, const char *text, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        th_buffer_append_text(html, text);
}

static bool is_table(th_buffer *html)
{
    opt.text_format = "markdown";
    th_parser *parser = th_parser_new(&opt);
    th_arena *arena = th_arena_new(0);
    const th_document document = { .bytes = th_buffer_view(html),
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    assert_false(html->has_failed);
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    page->paragraph_label_of = th_arena_alloc(arena, page->paragraph_count);
    memset(page->paragraph_label_of, TH_CONTENT, page->paragraph_count);
    const th_view text = th_formatted_text(page, &opt, (th_view){ 0 }, 0);
    const bool is_so = memmem(text.data, text.len, "| --- |", 7) != NULL;
    th_arena_free(arena);
    th_parser_free(parser);
    th_buffer_reset(html);
    return is_so;
}

/* Each limit of a data table holds, and one more is layout. */
static void tables_end_at_their_limits(void **state)
{
    (void)state;
    th_buffer html = { 0 };
    for (unsigned more = 0; more < 2; more++) {
        th_buffer_append_text(&html, "<table><tr>");
        repeat(&html, "<td>a", 256 + more);
        th_buffer_append_text(&html, "<tr><td>b<td>c</table>");
        assert_int_equal(is_table(&html), !more); /* columns */

        /* 4 cells in 2 rows: 144 columns are a grid of 256 + 4 * 8. */
        th_buffer_printf(&html, "<table><tr><td>a<td colspan=%u>b<td>c<tr><td>d</table>",
                         142 + more);
        assert_int_equal(is_table(&html), !more); /* empty cells */

        th_buffer_append_text(&html, "<table><tr><th>a<th>b<tr><td>c<td><ul>");
        repeat(&html, "<li>d", 16 + more);
        th_buffer_append_text(&html, "</ul></table>");
        assert_int_equal(is_table(&html), !more); /* texts of a cell */

        th_buffer_append_text(&html, "<table><tr><th>a<th>b<tr><td>c<td><ul><li>");
        repeat(&html, "d", 1000 + more);
        th_buffer_append_text(&html, "<li>");
        repeat(&html, "e", 1000);
        th_buffer_append_text(&html, "</ul></table>");
        assert_int_equal(is_table(&html), !more); /* bytes of them */
    }
    th_buffer_done(&html);
}

/* After as many marks as are noted, each mark is escaped. */
static void marks_end_at_their_limit(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        th_buffer html = { 0 }, text = { 0 };
        th_buffer_append_text(&html, "<p>");
        repeat(&html, "_b ", 255 + more);
        th_buffer_append_text(&html, "**c http://d.example/e_f");
        repeat(&text, "_b ", 255 + more);
        th_buffer_append_text(&text, more ? "\\*\\*c http://d.example/e_f"
                                          : "**c http://d.example/e_f");
        th_buffer_append_char(&html, '\0');
        th_buffer_append_char(&text, '\0');
        assert_false(html.has_failed || text.has_failed);
        row_is(&(struct row){ .html = html.data, .text = text.data }, "markdown");
        th_buffer_done(&html);
        th_buffer_done(&text);
    }
}

static void plain_records_nothing(void **state)
{
    (void)state;
    opt.text_format = "plain";
    th_parser *parser = th_parser_new(&opt);
    th_arena *arena = th_arena_new(0);
    const char html[] =
        "<p>a <b>b</b> <a href=/><img src=/c></a><pre class=language-c>d</pre>"
        "<math alttext=e>e</math><b role=tab id=t>f</b><p role=tabpanel "
        "aria-labelledby=t>g";
    const th_document document = { .bytes = { html, sizeof html - 1 } };
    th_page *page = NULL;
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    assert_int_equal(page->run_count, 0);
    assert_int_equal(page->inset_count, 0);
    assert_int_equal(page->code_language_count, 0);
    assert_int_equal(page->tab_count, 0);
    th_arena_free(arena);
    th_parser_free(parser);
}

enum {
    ROWS = sizeof rows / sizeof *rows,
    HTML_ROWS = sizeof html_rows / sizeof *html_rows
};

int main(void)
{
    static struct CMUnitTest tests[ROWS + HTML_ROWS + 3];
    th_options_init(&opt);
    opt.text_links = opt.text_images = true;
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    for (size_t i = 0; i < HTML_ROWS; i++)
        tests[ROWS + i] = (struct CMUnitTest){ html_rows[i].name, html_row_holds, NULL,
                                               NULL, (void *)&html_rows[i] };
    tests[ROWS + HTML_ROWS] = (struct CMUnitTest)cmocka_unit_test(plain_records_nothing);
    tests[ROWS + HTML_ROWS + 1] =
        (struct CMUnitTest)cmocka_unit_test(tables_end_at_their_limits);
    tests[ROWS + HTML_ROWS + 2] =
        (struct CMUnitTest)cmocka_unit_test(marks_end_at_their_limit);
    return cmocka_run_group_tests_name("markdown", tests, NULL, NULL);
}

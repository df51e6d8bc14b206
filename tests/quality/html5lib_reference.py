"""Reads the visible text of a page from html5lib's tree construction, by the rules of the page builder.

html5lib builds the tree. This tree builder only stores for each piece of text its position in the source and the number
of preceding gaps. Then the text can be read in source order and cut into atomic blocks, as in thresher
[docs/methods.md#text-model, head of src/parse/page_builder.c]. A gap is a tag of the source other than A. Tags inside a subtree that
is hidden or has no text do not belong to a gap. The finished tree decides if text is hidden, and its element.

html5lib 1.1 is from 2020. These known differences to the Living Standard are corrected here:

  template   is parsed as in head, at any place. html5lib does not know the element. It is skipped, because its content is not visible

  select     has no insertion mode (since 2025), and its content is parsed as in body

  dialog, search, hgroup...: close a P. Special and scoping elements follow the standard

  rb, rtc    are implied ends like rp and rt

  isindex, command: removed from the standard, so they are ordinary elements

  </p>, </br> end foreign content

Scripting is off. The input is decoded text: which encoding a page is in is another stage's business and another test's.
"""
import html5lib
from html5lib import _tokenizer, constants, html5parser
from html5lib.constants import namespaces, tokenTypes
from html5lib.treebuilders import base

VERSION = 1  # of the results; the cache's key

TEXTLESS = frozenset('applet audio canvas datalist iframe noembed noframes noscript object option script style svg template textarea title '
                     'video'.split())
ASCII_BLANKS = ' \t\n\x0b\x0c\r'
HTML = namespaces['html']
EVENTS_KEPT = 400


# ---- what hides ----

def style_hides(style):
    """Whether an inline style ends up with display:none or visibility:hidden."""
    has_no_display = is_invisible = False
    for declaration in style.split(';'):
        name, _, value = declaration.partition(':')
        name = name.strip(ASCII_BLANKS).lower()
        value = value.partition('!')[0].strip(ASCII_BLANKS).lower()
        if name == 'display':
            has_no_display = value == 'none'
        elif name == 'visibility':
            is_invisible = value == 'hidden'
    return has_no_display or is_invisible


def attributes_hide(attributes):
    return (('hidden' in attributes and attributes['hidden'].lower() != 'until-found') or
            attributes.get('aria-hidden', '').lower() == 'true' or
            style_hides(attributes.get('style', '')))


# ---- the tree ----

class Piece:
    """A piece of text as it was inserted."""
    __slots__ = ('order', 'gap', 'data', 'parent')

    def __init__(self, order, gap, data, parent):
        self.order, self.gap, self.data, self.parent = order, gap, data, parent


class Element(base.Node):
    __slots__ = ('namespace', 'nameTuple', '_attributes', 'hides', 'path')
    tree = None  # set by the tree builder; only one exists at a time

    def __init__(self, name, namespace=None):
        self.hides = None
        self._attributes = {}
        base.Node.__init__(self, name)
        self.namespace = namespace
        self.nameTuple = (namespace or HTML, name)
        self.path = None

    @property
    def attributes(self):
        return self._attributes

    @attributes.setter
    def attributes(self, attributes):
        self._attributes = attributes
        if self.name in TEXTLESS:
            self.hides = self.name
        elif attributes and self.name not in ('html', 'body') and attributes_hide(attributes):
            self.hides = 'attribute of ' + self.name
        else:
            self.hides = None

    def appendChild(self, node):
        node.parent = self
        self.childNodes.append(node)

    def insertBefore(self, node, refNode):
        node.parent = self
        self.childNodes.insert(self.childNodes.index(refNode), node)

    def insertText(self, data, insertBefore=None):
        tree = Element.tree
        piece = Piece(tree.order, tree.gap, data, self)
        tree.order += 1
        tree.pieces.append(piece)
        self.childNodes.append(piece)

    def removeChild(self, node):
        self.childNodes.remove(node)
        node.parent = None

    def reparentChildren(self, newParent):
        for child in self.childNodes:
            child.parent = newParent
        newParent.childNodes.extend(self.childNodes)
        self.childNodes = []

    def cloneNode(self):
        if not Element.tree.is_reconstructing:
            Element.tree.note('adoption agency')
        clone = Element(self.name, self.namespace)
        clone.attributes = dict(self.attributes)
        return clone

    def hasContent(self):
        return bool(self.childNodes)


class Nothing(base.Node):
    """Comments and doctypes."""
    __slots__ = ()

    def __init__(self, *what):
        base.Node.__init__(self, None)


class Tree(base.TreeBuilder):
    documentClass = lambda self: Element('#document')
    elementClass = Element
    commentClass = Nothing
    doctypeClass = Nothing

    def reset(self):
        Element.tree = self
        self.gap = self.order = 0
        self.pieces = []
        self.events = []
        self.is_reconstructing = False
        base.TreeBuilder.reset(self)

    def note(self, event):
        if len(self.events) < EVENTS_KEPT and (self.gap, event) not in self.events[-4:]:
            self.events.append((self.gap, event))

    def reconstructActiveFormattingElements(self):
        self.is_reconstructing = True
        base.TreeBuilder.reconstructActiveFormattingElements(self)
        self.is_reconstructing = False

    def insertElementNormal(self, token):
        if self.is_reconstructing:
            self.note('formatting goes on')
        return base.TreeBuilder.insertElementNormal(self, token)

    def getTableMisnestedNodePosition(self):
        self.note('foster parenting')
        return base.TreeBuilder.getTableMisnestedNodePosition(self)

    def generateImpliedEndTags(self, exclude=None):
        while self.openElements[-1].name in IMPLIED_ENDS and self.openElements[-1].name != exclude:
            self.openElements.pop()


# ---- html5lib, put right ----

IMPLIED_ENDS = frozenset('dd dt li optgroup option p rb rp rt rtc'.split())
SPECIAL = frozenset(
    [(HTML, name) for name in (
        'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir div '
        'dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input '
        'keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script search section '
        'select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp').split()] +
    [(namespaces['mathml'], name) for name in 'mi mo mn ms mtext annotation-xml'.split()] +
    [(namespaces['svg'], name) for name in 'foreignObject desc title'.split()])


def noted(event, function):
    def wrapped(phase, token):
        phase.tree.note(event)
        return function(phase, token)
    return wrapped


def start_select(phase, token):
    """In body, as the standard has it since 2025."""
    if phase.tree.elementInScope('select'):
        while phase.tree.openElements.pop().name != 'select':
            pass
        return
    phase.tree.reconstructActiveFormattingElements()
    phase.tree.insertElement(token)
    phase.parser.framesetOK = False


def start_option(phase, token):
    tree = phase.tree
    if tree.elementInScope('select'):
        tree.generateImpliedEndTags('optgroup' if token['name'] == 'option' else None)
    elif tree.openElements[-1].name == 'option':
        tree.openElements.pop()
    tree.reconstructActiveFormattingElements()
    tree.insertElement(token)


def start_input(start):
    def wrapped(phase, token):
        if phase.tree.elementInScope('select'):
            while phase.tree.openElements.pop().name != 'select':
                pass
        return start(phase, token)
    return wrapped


def start_hr(start):
    def wrapped(phase, token):
        if phase.tree.elementInScope('select'):
            phase.tree.generateImpliedEndTags()
        return start(phase, token)
    return wrapped


def start_ruby(phase, token):
    if phase.tree.elementInScope('ruby'):
        phase.tree.generateImpliedEndTags('rtc' if token['name'] in ('rp', 'rt') else None)
    phase.tree.insertElement(token)


def foreign_end(end):
    def wrapped(phase, token):
        if token['name'] in ('p', 'br'):
            while phase.tree.openElements[-1].namespace != HTML and not phase.parser.isHTMLIntegrationPoint(phase.tree.openElements[-1]) \
                    and not phase.parser.isMathMLTextIntegrationPoint(phase.tree.openElements[-1]):
                phase.tree.openElements.pop()
            return token
        return end(phase, token)
    return wrapped


def starts_and_ends(phase):
    """The tables of a phase, in which a name finds its function."""
    return vars(phase)['startTagHandler'], vars(phase)['endTagHandler']


def put_right():
    """Once: html5lib's phases are made once for all parsers."""
    phases = html5parser.getPhases(False)
    start, end = starts_and_ends(phases['inBody'])
    for name in ('dialog', 'search'):
        start[name] = start['section']
        end[name] = end['section']
    end['select'] = end['section']
    for name in ('isindex', 'command'):
        del start[name]
    start['select'] = start_select
    for name in ('option', 'optgroup'):
        start[name] = start_option
    start['input'] = start_input(start['input'])
    start['hr'] = start_hr(start['hr'])
    for name in ('rb', 'rtc', 'rp', 'rt'):
        start[name] = start_ruby
    for name in ('svg', 'math'):
        start[name] = noted('foreign content', start[name])
    start['frameset'] = noted('frameset', start['frameset'])
    start['plaintext'] = noted('plaintext', start['plaintext'])
    start['nobr'] = noted('nobr', start['nobr'])
    after_head, _ = starts_and_ends(phases['afterHead'])
    after_head['frameset'] = noted('frameset', after_head['frameset'])
    for name in ('inHead', 'inHeadNoscript'):
        starts_and_ends(phases[name])[0].pop('command', None)
    noscript, _ = starts_and_ends(phases['inHeadNoscript'])
    noscript.default = noted('noscript in head', noscript.default)
    foreign = phases['inForeignContent']
    foreign.processEndTag = foreign_end(foreign.processEndTag)
    html5parser.specialElements = SPECIAL
    select = (HTML, 'select')
    for variant in (None, 'button', 'list'):
        elements, invert = base.listElementsMap[variant]
        base.listElementsMap[variant] = (elements | {select}, invert)


put_right()


class Tokenizer(_tokenizer.HTMLTokenizer):
    """Counts the gaps, and skips templates."""

    def is_hiding(self):
        return any(element.hides for element in self.parser.tree.openElements)

    def __iter__(self):
        start_tag, end_tag = tokenTypes['StartTag'], tokenTypes['EndTag']
        tree = self.parser.tree
        depth = 0  # templates that are open
        for token in _tokenizer.HTMLTokenizer.__iter__(self):
            kind = token['type']
            if kind != start_tag and kind != end_tag:
                if not depth:
                    yield token
                continue
            name = token['name']
            if depth or (kind == start_tag and name == 'template' and self.is_in_html()):
                if name == 'template':
                    depth += 1 if kind == start_tag else -1
                    if depth == 0 and not self.is_hiding():
                        tree.gap += 1
                    elif depth == 1 and kind == start_tag:
                        tree.note('template')
                        if not self.is_hiding():
                            yield from self.needing_head()
                            tree.gap += 1
                elif kind == start_tag:
                    self.read_content_of(name)
                continue
            was_hidden = self.is_hiding()
            yield token
            if name != 'a' and not (was_hidden and self.is_hiding()):
                tree.gap += 1

    def is_in_html(self):
        elements = self.parser.tree.openElements
        return not elements or elements[-1].namespace == HTML

    def needing_head(self):
        """A template is the first that needs one."""
        if self.parser.phase in [self.parser.phases[name] for name in ('initial', 'beforeHtml', 'beforeHead')]:
            yield {'type': tokenTypes['StartTag'], 'name': 'head', 'data': {}, 'selfClosing': False, 'selfClosingAcknowledged': False}

    def read_content_of(self, name):
        if name == 'script':
            self.state = self.scriptDataState
        elif name == 'plaintext':
            self.state = self.plaintextState
        elif name in ('style', 'xmp', 'iframe', 'noembed', 'noframes'):
            self.state = self.rawtextState
        elif name in ('title', 'textarea'):
            self.state = self.rcdataState


class Parser(html5parser.HTMLParser):
    def _parse(self, stream, innerHTML=False, container='div', scripting=False, **kwargs):
        self.innerHTMLMode, self.container, self.scripting = innerHTML, container, scripting
        self.tokenizer = Tokenizer(stream, parser=self, **kwargs)
        self.reset()
        self.mainLoop()

    def parseError(self, errorcode=None, datavars=None):
        """Replaces html5lib's query of the stream position, which is slow and not needed here."""

    def resetInsertionMode(self):
        html5parser.HTMLParser.resetInsertionMode(self)
        if self.phase is None:
            self.phase = self.phases['inBody']


# ---- reading it ----

def path_of(element):
    """Tag names from the root, html first."""
    todo = []
    while element is not None and element.path is None:
        todo.append(element)
        element = element.parent
    path = element.path if element is not None else ()
    for element in reversed(todo):
        path = element.path = () if element.name == '#document' else path + (element.name.lower(),)
    return path


def why_hidden(element):
    while element is not None:
        if element.hides:
            return element.hides
        element = element.parent
    return None


def read_page(text):
    """
    The page's text, piece by piece in source order.
    @return {'pieces': [[gap, path of the enclosing element that is no A, why it is hidden or None, text]],
             'events': [[gap, what the tree construction did there]], 'tree_order': numbers of the pieces as they stand in the tree}
    """
    parser = Parser(Tree, namespaceHTMLElements=True)
    document = parser.parse(text)
    tree = parser.tree
    pieces = []
    hidden = {}
    for piece in tree.pieces:
        element = piece.parent
        if element not in hidden:
            hidden[element] = why_hidden(element)
        why = hidden[element]
        while element.name == 'a' and element.parent is not None:
            element = element.parent
        shown = piece.data if why not in ('script', 'style') else ''
        pieces.append([piece.gap, '/'.join(path_of(element)), why, shown])
    order = []
    todo = [document]
    while todo:
        node = todo.pop()
        if isinstance(node, Piece):
            order.append(node.order)
        else:
            todo.extend(reversed(node.childNodes))
    return {'pieces': merged(pieces), 'events': tree.events, 'moved': order != sorted(order)}


def merged(pieces):
    """Joins neighbours in the same gap and element."""
    out = []
    for piece in pieces:
        if out and out[-1][:3] == piece[:3]:
            out[-1][3] += piece[3]
        else:
            out.append(piece)
    return out

"""One job done by other programs of PyPI, for compare.py.

usage: peer.py JOB INPUT [OUTPUT]
"""
import io
import sys


def pages(path):
    """URL and HTML of each response."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    for record in ArchiveIterator(open(path, 'rb'), record_types=WarcRecordType.response, parse_http=True):
        body = record.reader.read()
        yield record.headers['WARC-Target-URI'], bytes_to_str(body, record.http_charset or detect_encoding(body))


def resiliparse(path):
    from resiliparse.extract.html2text import extract_plain_text
    return sum(len(extract_plain_text(html, main_content=True)) for _, html in pages(path))


def html_to_markdown(path):
    from html_to_markdown import convert
    return sum(len(str(convert(html))) for _, html in pages(path))


def html2text(path):
    import html2text
    total = 0
    for _, html in pages(path):
        converter = html2text.HTML2Text()
        converter.body_width = 0
        total += len(converter.handle(html))
    return total


def markdownify(path):
    from markdownify import markdownify as convert
    return sum(len(convert(html)) for _, html in pages(path))


def wet(path, output):
    from resiliparse.extract.html2text import extract_plain_text
    from warcio.archiveiterator import ArchiveIterator
    from warcio.warcwriter import WARCWriter
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    with open(path, 'rb') as archive, open(output, 'wb') as out:
        writer = WARCWriter(out, gzip=True)
        for record in ArchiveIterator(archive):
            if record.rec_type == 'response':
                body = record.content_stream().read()
                text = extract_plain_text(bytes_to_str(body, detect_encoding(body)), main_content=True)
                writer.write_record(writer.create_warc_record(record.rec_headers['WARC-Target-URI'], 'conversion', payload=io.BytesIO(text.encode()),
                                                              warc_content_type='text/plain'))


def cdxj(path, output):
    from cdxj_indexer.main import main
    main(['-o', output, path])


def pycld2(path):
    """The texts of records of `thresher run`."""
    import json
    import pycld2
    known = 0
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            try:
                known += pycld2.detect(json.loads(line)['text'], isPlainText=True)[0]
            except pycld2.error:  # it refuses control characters
                pass
    return known


def texts(path):
    """Reads the same texts as pycld2(), without the detection."""
    import json
    import pycld2  # noqa: F401
    with open(path, encoding='utf-8') as lines:
        return sum(len(json.loads(line)['text']) for line in lines)


def networkit(path):
    import networkit
    networkit.setNumberOfThreads(1)
    graph = networkit.graphio.EdgeListReader(' ', 0, continuous=True, directed=True).read(path)
    return sum(networkit.centrality.PageRank(graph, .85, 1e-6).run().scores()[:1])


def igraph(path):
    import igraph
    return igraph.Graph.Read_Edgelist(path, directed=True).pagerank(damping=.85)[0]


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(globals()[sys.argv[1]](*sys.argv[2:]))

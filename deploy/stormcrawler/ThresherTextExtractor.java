package thresher;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.stormcrawler.parse.TextExtractor;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/**
 * The text of a page by thresher, for Apache StormCrawler 3. ThresherClient has more configuration:
 *
 * <pre>
 * textextractor.class: "thresher.ThresherTextExtractor"
 * </pre>
 *
 * A page that thresher refuses has no text. If the daemon does not answer, the bolt gets an exception, and the page
 * its error status.
 */
public class ThresherTextExtractor implements TextExtractor {
    private final ThresherClient client;

    public ThresherTextExtractor(Map<String, Object> conf) {
        client = new ThresherClient(conf);
    }

    @Override
    public String text(Object element) {
        if (!(element instanceof Element)) {
            return "";
        }
        Document page = ((Element) element).ownerDocument();
        return client.text(page.location(), "text/html; charset=utf-8", page.outerHtml().getBytes(StandardCharsets.UTF_8));
    }
}

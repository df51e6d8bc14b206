package thresher;

import com.digitalpebble.stormcrawler.Metadata;
import com.digitalpebble.stormcrawler.parse.JSoupFilter;
import com.digitalpebble.stormcrawler.parse.ParseResult;
import com.digitalpebble.stormcrawler.protocol.HttpHeaders;
import com.digitalpebble.stormcrawler.protocol.ProtocolResponse;
import com.digitalpebble.stormcrawler.util.ConfUtils;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.Map;
import org.jsoup.nodes.Document;

/**
 * The text of a page by thresher, for StormCrawler 2, whose TextExtractor cannot be replaced. ThresherClient has more
 * configuration:
 *
 * <pre>
 * jsoup.filters.config.file: "jsoupfilters.json"
 * textextractor.no.text: true                         # the bolt's own text is not needed
 * </pre>
 *
 * and jsoupfilters.json:
 *
 * <pre>
 * {"com.digitalpebble.stormcrawler.parse.JSoupFilters": [
 *     {"class": "thresher.ThresherTextFilter", "name": "thresher"}]}
 * </pre>
 *
 * thresher gets the bytes that were fetched. A page that it refuses has no text. If the daemon does not answer, the
 * page gets its error status.
 */
public class ThresherTextFilter extends JSoupFilter {
    private ThresherClient client;
    private String prefix;

    @Override
    public void configure(Map<String, Object> conf, JsonNode params) {
        client = new ThresherClient(conf);
        prefix = ConfUtils.getString(conf, ProtocolResponse.PROTOCOL_MD_PREFIX_PARAM, "");
    }

    @Override
    public void filter(String url, byte[] content, Document page, ParseResult parse) {
        Metadata metadata = parse.get(url).getMetadata();
        String type = metadata.getFirstValue(HttpHeaders.CONTENT_TYPE, prefix);
        // The bolt has found that the page is HTML. A server that says something else is wrong.
        boolean isHtml = type != null && type.toLowerCase(Locale.ROOT).contains("html");
        parse.get(url).setText(client.text(url, isHtml ? type : null, content));
    }
}

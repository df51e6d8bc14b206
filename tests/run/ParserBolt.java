import com.digitalpebble.stormcrawler.Metadata;
import com.digitalpebble.stormcrawler.bolt.JSoupParserBolt;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.storm.metric.api.IMetric;
import org.apache.storm.metrics2.StormMetricRegistry;
import org.apache.storm.task.GeneralTopologyContext;
import org.apache.storm.task.IOutputCollector;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.TupleImpl;
import org.apache.storm.tuple.Values;

/**
 * Passes a page to StormCrawler's JSoupParserBolt, and prints what it emits: for a page its URL and, after a line feed, its text; `status` and
 * its error otherwise. Arguments: FILTERS EXTRACT ACCEPT URL TYPE FILE; TYPE is the Content-Type of the server
 */
public class ParserBolt implements IOutputCollector {
    private final PrintStream out;

    private ParserBolt(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // the log
        Map<String, Object> conf = new HashMap<>(Map.of("jsoup.filters.config.file", args[0], "thresher.extract", args[1], "thresher.accept", args[2],
                "textextractor.no.text", true, "parser.emitOutlinks", false, "protocol.md.prefix", "protocol."));
        Map<String, Map<String, Fields>> fields = Map.of("fetch", Map.of("default", new Fields("url", "content", "metadata")));
        Map<Integer, String> tasks = Map.of(1, "fetch", 2, "parse");
        Map<String, List<Integer>> components = Map.of("fetch", List.of(1), "parse", List.of(2));
        Map<Integer, Map<Integer, Map<String, IMetric>>> metrics = new HashMap<>();
        TopologyContext context = new TopologyContext(null, conf, tasks, components, fields, Map.of(), "storm", null, null, 2, 0, List.of(1, 2), Map.of(), Map.of(), Map.of(),
                metrics, new AtomicBoolean(), new StormMetricRegistry());
        JSoupParserBolt bolt = new JSoupParserBolt();
        bolt.prepare(conf, context, new OutputCollector(new ParserBolt(out)));
        Metadata metadata = new Metadata();
        metadata.setValue("protocol.content-type", args[4]);
        bolt.execute(new TupleImpl(new GeneralTopologyContext(null, conf, tasks, components, fields, "storm"),
                new Values(args[3], Files.readAllBytes(Path.of(args[5])), metadata), "fetch", 1, "default"));
        System.exit(0); // Storm has started threads.
    }

    @Override
    public List<Integer> emit(String stream, Collection<Tuple> anchors, List<Object> values) {
        String text = stream.equals("default") ? values.get(0) + "\n" + values.get(3) : stream + "\n" + ((Metadata) values.get(1)).getFirstValue("error.source") + ": " + ((Metadata) values.get(1)).getFirstValue("error.message");
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
        return List.of();
    }

    @Override
    public void emitDirect(int task, String stream, Collection<Tuple> anchors, List<Object> values) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void ack(Tuple tuple) {}

    @Override
    public void fail(Tuple tuple) {
        throw new IllegalStateException("failed");
    }

    @Override
    public void resetTimeout(Tuple tuple) {}

    @Override
    public void flush() {}

    @Override
    public void reportError(Throwable error) {
        throw new IllegalStateException(error);
    }
}

// Reads one topic from its beginning and prints each record as a JSON line, as the independent
// reader of the delivery tests. It shares no code with librdkafka. It ends at the end offsets
// for its isolation level, so checks of sets, order and duplicates are exact:
//
//   now     at the end offsets of its start
//
//   closed  at the end offsets after its stdin has closed (reads during failures)
//   N       at the end, once that has not moved for N milliseconds
// The last line tells each partition's begin, end (as the isolation level sees it) and
// high_watermark; end < high_watermark means that a transaction is still open.
//
// usage: Reader BOOTSTRAP TOPIC read_committed|read_uncommitted now|closed|N

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

public final class Reader {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long SETTLE_MS = 5000;
    private static volatile boolean closed;

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Admin admin;
    private final List<TopicPartition> partitions;
    private final JsonGenerator out;

    private Reader(KafkaConsumer<byte[], byte[]> consumer, Admin admin, String topic,
                   JsonGenerator out) {
        this.consumer = consumer;
        this.admin = admin;
        this.out = out;
        partitions = consumer.partitionsFor(topic).stream()
                         .map(i -> new TopicPartition(i.topic(), i.partition()))
                         .sorted(Comparator.comparing(TopicPartition::partition))
                         .collect(Collectors.toList());
        if (partitions.isEmpty())
            throw new IllegalStateException("no topic '" + topic + "'");
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 4) {
            System.err.println("usage: Reader BOOTSTRAP TOPIC ISOLATION now|closed|N");
            System.exit(64);
        }
        Properties q = new Properties();
        q.put("bootstrap.servers", args[0]);
        Properties p = new Properties();
        p.putAll(q);
        p.put("isolation.level", args[2]);
        p.put("enable.auto.commit", "false");
        p.put("auto.offset.reset", "none"); // a gap is an error, never a jump
        p.put("allow.auto.create.topics", "false");
        p.put("fetch.max.bytes", "16777216");
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                 p, new ByteArrayDeserializer(), new ByteArrayDeserializer());
             Admin admin = Admin.create(q);
             JsonGenerator out = new JsonFactory().createGenerator(
                 new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16))) {
            out.setRootValueSeparator(null);
            Reader reader = new Reader(consumer, admin, args[1], out);
            reader.read(args[3]);
            reader.summary();
        }
    }

    private void read(String until) throws Exception {
        long quiet = 0;
        if (until.equals("closed"))
            watchStdin();
        else if (!until.equals("now"))
            quiet = Long.parseLong(until);
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        // The end that counts is null until it is known; "now" knows it from the start.
        Map<TopicPartition, Long> ends = until.equals("now") ? settledEnds() : null;
        long moved = System.currentTimeMillis();
        while (ends == null || !reached(ends)) {
            ConsumerRecords<byte[], byte[]> batch = consumer.poll(POLL);
            for (ConsumerRecord<byte[], byte[]> r : batch)
                if (ends == null || r.offset() < ends.get(at(r)))
                    print(r);
            if (!batch.isEmpty())
                moved = System.currentTimeMillis();
            if (ends != null || !batch.isEmpty())
                continue;
            out.flush();
            boolean over = until.equals("closed") ? closed
                                                  : System.currentTimeMillis() - moved >= quiet;
            if (!over)
                continue;
            try {
                Map<TopicPartition, Long> last = settledEnds();
                if (until.equals("closed") || reached(last))
                    ends = last;
            } catch (TimeoutException | ExecutionException away) { // no broker, no end
                moved = System.currentTimeMillis();
            }
        }
    }

    /** Returns the end offsets. A commit is answered before its markers are in the log, so the end
     * of read_committed can be behind the producer's committed end. Waits a short time until the
     * two ends meet. The time is limited, because a transaction can be left open. */
    private Map<TopicPartition, Long> settledEnds() throws Exception {
        long limit = System.currentTimeMillis() + SETTLE_MS;
        for (;;) {
            Map<TopicPartition, Long> marks = highWatermarks();
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            boolean settled = partitions.stream().allMatch(t -> ends.get(t) >= marks.get(t));
            if (settled || System.currentTimeMillis() > limit)
                return ends;
            Thread.sleep(20);
        }
    }

    private Map<TopicPartition, Long> highWatermarks() throws Exception {
        Map<TopicPartition, OffsetSpec> latest =
            partitions.stream().collect(Collectors.toMap(t -> t, t -> OffsetSpec.latest()));
        return admin
            .listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
            .all().get().entrySet().stream()
            .collect(Collectors.toMap(e -> e.getKey(), e -> e.getValue().offset()));
    }

    private boolean reached(Map<TopicPartition, Long> ends) {
        for (TopicPartition t : partitions) {
            try {
                if (consumer.position(t, POLL) < ends.get(t))
                    return false;
            } catch (TimeoutException notYet) { // the beginning is not known yet
                return false;
            }
        }
        return true;
    }

    private static TopicPartition at(ConsumerRecord<byte[], byte[]> r) {
        return new TopicPartition(r.topic(), r.partition());
    }

    private static void watchStdin() {
        Thread watch = new Thread(() -> {
            try {
                while (System.in.read() >= 0)
                    continue;
            } catch (IOException e) {
                System.err.println("Reader: stdin: " + e.getMessage());
            }
            closed = true;
        });
        watch.setDaemon(true);
        watch.start();
    }

    private void print(ConsumerRecord<byte[], byte[]> r) throws IOException {
        out.writeStartObject();
        out.writeNumberField("partition", r.partition());
        out.writeNumberField("offset", r.offset());
        out.writeNumberField("timestamp", r.timestamp());
        bytes("key", r.key());
        out.writeArrayFieldStart("headers");
        for (Header h : r.headers()) {
            out.writeStartArray();
            out.writeString(h.key());
            if (h.value() == null)
                out.writeNull();
            else
                out.writeBinary(h.value());
            out.writeEndArray();
        }
        out.writeEndArray();
        bytes("value", r.value());
        out.writeEndObject();
        out.writeRaw('\n');
    }

    private void bytes(String name, byte[] b) throws IOException {
        if (b == null)
            out.writeNullField(name);
        else
            out.writeBinaryField(name, b);
    }

    private void summary() throws Exception {
        Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        Map<TopicPartition, Long> marks = highWatermarks();
        out.writeStartObject();
        out.writeArrayFieldStart("partitions");
        for (TopicPartition t : partitions) {
            out.writeStartObject();
            out.writeNumberField("partition", t.partition());
            out.writeNumberField("begin", begins.get(t));
            out.writeNumberField("end", ends.get(t));
            out.writeNumberField("high_watermark", marks.get(t));
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
        out.writeRaw('\n');
    }
}

// Makes and deletes topics and tells a group's committed offsets, one JSON line a partition.
//
// usage: Control BOOTSTRAP create TOPIC PARTITIONS [NAME=VALUE]...
//        Control BOOTSTRAP delete TOPIC
//        Control BOOTSTRAP truncate TOPIC PARTITION OFFSET
//        Control BOOTSTRAP configure TOPIC NAME=VALUE...
//        Control BOOTSTRAP password USER PASSWORD
//        Control BOOTSTRAP committed GROUP

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

public final class Control {
    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            System.err.println("usage: Control BOOTSTRAP create|delete|truncate|configure|password|committed NAME ...");
            System.exit(64);
        }
        Properties p = new Properties();
        p.put("bootstrap.servers", args[0]);
        try (Admin admin = Admin.create(p)) {
            switch (args[1]) {
            case "create":
                create(admin, args);
                break;
            case "delete":
                admin.deleteTopics(List.of(args[2])).all().get();
                while (admin.listTopics().names().get().contains(args[2]))
                    Thread.sleep(50); // so that the name is free again
                break;
            case "truncate": // as retention does
                admin.deleteRecords(Map.of(new TopicPartition(args[2], Integer.parseInt(args[3])),
                                           RecordsToDelete.beforeOffset(Long.parseLong(args[4]))))
                    .all().get();
                break;
            case "configure":
                configure(admin, args);
                break;
            case "password": // of SCRAM-SHA-512; connections that are open stay
                admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                    args[2], new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 8192), args[3])))
                    .all().get();
                break;
            case "committed":
                committed(admin, args[2]);
                break;
            default:
                throw new IllegalArgumentException("command '" + args[1] + "'");
            }
        }
    }

    private static void create(Admin admin, String[] args) throws Exception {
        Map<String, String> config = new HashMap<>();
        for (int i = 4; i < args.length; i++) {
            int equals = args[i].indexOf('=');
            if (equals < 1)
                throw new IllegalArgumentException("not NAME=VALUE: " + args[i]);
            config.put(args[i].substring(0, equals), args[i].substring(equals + 1));
        }
        NewTopic topic = new NewTopic(args[2], Optional.of(Integer.parseInt(args[3])), Optional.empty());
        admin.createTopics(List.of(topic.configs(config))).all().get();
    }

    private static void configure(Admin admin, String[] args) throws Exception {
        List<AlterConfigOp> changes = new ArrayList<>();
        for (int i = 3; i < args.length; i++) {
            String[] pair = args[i].split("=", 2);
            changes.add(new AlterConfigOp(new ConfigEntry(pair[0], pair[1]), AlterConfigOp.OpType.SET));
        }
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, args[2]);
        admin.incrementalAlterConfigs(Map.of(topic, changes)).all().get();
    }

    private static void committed(Admin admin, String group) throws Exception {
        // Stable: waits for the outcome of offsets that an open transaction has sent.
        Map<TopicPartition, OffsetAndMetadata> offsets =
            admin.listConsumerGroupOffsets(
                group, new ListConsumerGroupOffsetsOptions().requireStable(true))
                .partitionsToOffsetAndMetadata().get();
        TreeMap<TopicPartition, OffsetAndMetadata> ordered = new TreeMap<>(
            Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition));
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        offsets.forEach((t, o) -> {
            if (o != null) {
                ordered.put(t, o);
                latest.put(t, OffsetSpec.latest());
            }
        });
        var ends = admin.listOffsets(
            latest, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED)).all().get();
        ObjectMapper json = new ObjectMapper();
        for (Map.Entry<TopicPartition, OffsetAndMetadata> e : ordered.entrySet()) {
            var row = json.createObjectNode();
            row.put("group", group);
            row.put("topic", e.getKey().topic());
            row.put("partition", e.getKey().partition());
            row.put("offset", e.getValue().offset());
            row.put("end", ends.get(e.getKey()).offset());
            row.put("metadata", e.getValue().metadata());
            System.out.println(row);
        }
    }
}

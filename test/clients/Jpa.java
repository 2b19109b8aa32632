// ids with JPA, by EclipseLink 2.7 and pgJDBC. PGHOST, PGDATABASE ... say which server and database.

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.persistence.AttributeConverter;
import javax.persistence.Column;
import javax.persistence.Convert;
import javax.persistence.Converter;
import javax.persistence.Entity;
import javax.persistence.EntityManager;
import javax.persistence.GeneratedValue;
import javax.persistence.Id;
import javax.persistence.JoinColumn;
import javax.persistence.ManyToOne;
import javax.persistence.OneToMany;
import javax.persistence.Persistence;
import javax.persistence.Table;
import org.eclipse.persistence.config.SessionCustomizer;
import org.eclipse.persistence.internal.databaseaccess.Accessor;
import org.eclipse.persistence.internal.sessions.AbstractSession;
import org.eclipse.persistence.queries.ValueReadQuery;
import org.eclipse.persistence.sequencing.UUIDSequence;
import org.eclipse.persistence.sessions.Session;

// ---- How to ----

// An id is a String, which the server takes with stringtype=unspecified in the URL. EclipseLink needs the id before the row is
// inserted, so a sequence fetches it from the server.
class UlidSequence extends UUIDSequence {
  public UlidSequence() {
    super("ulid");
  }

  @Override
  public Object getGeneratedValue(Accessor accessor, AbstractSession session, String name) {
    var query = new ValueReadQuery();
    query.setSQLString("SELECT gen_ulid()::text");
    return session.executeQuery(query);
  }
}

@Entity
@Table(name = "customer")
class Customer {
  @Id
  @GeneratedValue(generator = "ulid")
  @Column(columnDefinition = "ulid DEFAULT gen_ulid()")
  String id;

  String name;

  @OneToMany(mappedBy = "customer")
  List<Item> items = new ArrayList<>();
}

@Entity
@Table(name = "item")
class Item {
  @Id
  @GeneratedValue(generator = "ulid")
  @Column(columnDefinition = "ulid DEFAULT gen_ulid()")
  String id;

  String name;

  @ManyToOne
  @JoinColumn(name = "customer", columnDefinition = "ulid")
  Customer customer;

  @Convert(converter = Jpa.Ids.class)
  @Column(columnDefinition = "ulid[]")
  List<String> related;
}

public class Jpa implements SessionCustomizer {
  @Override
  public void customize(Session session) {
    session.getLogin().addSequence(new UlidSequence());
  }

  @Converter
  public static class Ids implements AttributeConverter<List<String>, Object> {
    @Override
    public Object convertToDatabaseColumn(List<String> ids) {
      return ids == null ? null : "{" + String.join(",", ids) + "}";
    }

    @Override
    public List<String> convertToEntityAttribute(Object ids) {
      return ids == null ? null : Arrays.stream((Object[]) ids).map(Object::toString).toList();
    }
  }

  static Item item(EntityManager manager, String name, Customer customer, List<String> related) {
    var item = new Item();
    item.name = name;
    item.customer = customer;
    item.related = related;
    manager.persist(item);
    return item;
  }

  static List<String> names(List<Item> items) {
    return items.stream().map(item -> item.name).toList();
  }

  static String state(Runnable failing) {
    try {
      failing.run();
      return "none";
    } catch (RuntimeException error) {
      Throwable cause = error;
      while (!(cause instanceof SQLException)) cause = cause.getCause();
      return ((SQLException) cause).getSQLState();
    }
  }

  public static void main(String[] arguments) {
    var env = System.getenv();
    // EclipseLink would decrypt a password of hexadecimal digits, but not in the URL.
    var url = "jdbc:postgresql://%s:%s/%s?user=%s&password=%s&stringtype=unspecified".formatted(
        env.get("PGHOST"), env.get("PGPORT"), env.get("PGDATABASE"), env.get("PGUSER"), env.get("PGPASSWORD"));
    var factory = Persistence.createEntityManagerFactory("shop", Map.of(
        "javax.persistence.jdbc.url", url,
        "javax.persistence.schema-generation.database.action", "create",
        "eclipselink.session.customizer", Jpa.class.getName(),
        "eclipselink.logging.level", "OFF"));
    var manager = factory.createEntityManager();

    // unwrap() makes the transaction begin in the database before the first id is made. Otherwise
    // ulid_settled() would not wait for the row.
    manager.getTransaction().begin();
    manager.unwrap(Connection.class);
    var ada = new Customer();
    ada.name = "Ada";
    manager.persist(ada);
    var settled = factory.createEntityManager().createNativeQuery("SELECT ulid_settled()::text").getSingleResult().toString();
    var first = item(manager, "first", ada, null);
    var second = item(manager, "second", null, List.of(first.id));
    manager.getTransaction().commit();
    manager.getTransaction().begin();
    manager.createNativeQuery("INSERT INTO item (id, name) VALUES ('01AN4Z07BY79KA1307SR9X4MV3', 'given')").executeUpdate();
    manager.getTransaction().commit();
    manager.clear();
    factory.getCache().evictAll();

    // By id, by several ids, with the customer; and the page after an id.
    var one = manager.find(Item.class, second.id);
    var both = manager.createQuery("SELECT i FROM Item i WHERE i.id IN :ids ORDER BY i.id", Item.class).setParameter("ids", List.of(second.id, first.id)).getResultList();
    var items = manager.find(Customer.class, ada.id).items;
    var page = manager.createQuery("SELECT i FROM Item i WHERE i.id > :id ORDER BY i.id", Item.class).setParameter("id", first.id).setMaxResults(1).getResultList();

    // The rows of a time range.
    var june = Timestamp.from(Instant.parse("2016-06-01T00:00:00Z"));
    var july = Timestamp.from(Instant.parse("2016-07-01T00:00:00Z"));
    var after = manager.createQuery("SELECT i FROM Item i WHERE i.id >= FUNCTION('ulid_first', :time) ORDER BY i.id", Item.class).setParameter("time", july).getResultList();
    var within = manager.createNativeQuery("SELECT * FROM item WHERE id <@ tstzrange(?1, ?2)", Item.class).setParameter(1, june).setParameter(2, july).getResultList();

    // ---- Expected results ----

    assert settled.compareTo(ada.id) <= 0;
    assert first.id.length() == 26 && first.id.compareTo(second.id) < 0;
    assert one.name.equals("second") && one.customer == null && one.related.equals(List.of(first.id));
    assert names(both).equals(List.of("first", "second")) && both.get(0).customer.name.equals("Ada") && both.get(0).related == null;
    assert names(items).equals(List.of("first"));
    assert names(page).equals(List.of("second"));
    assert names(after).equals(List.of("first", "second"));
    @SuppressWarnings("unchecked") var given = names((List<Item>) within);
    assert given.equals(List.of("given"));

    assert state(() -> manager.find(Item.class, "01AN4Z07BY79KA1307SR9X4MVU")).equals("22P02");
    manager.getTransaction().begin();
    assert state(() -> manager.createNativeQuery("INSERT INTO item (customer) VALUES (?1)").setParameter(1, first.id).executeUpdate()).equals("23503");

    System.out.println("EclipseLink " + org.eclipse.persistence.Version.getVersion());
  }
}

// ids with Hibernate 6 and pgJDBC. PGHOST, PGDATABASE ... say which server and database.

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.LogManager;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.BatchSize;
import org.hibernate.annotations.ColumnDefault;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.Generated;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.boot.model.TypeContributions;
import org.hibernate.boot.model.TypeContributor;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.jdbc.spi.JdbcServices;
import org.hibernate.service.ServiceRegistry;
import org.hibernate.type.descriptor.ValueBinder;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.JavaType;
import org.hibernate.type.descriptor.jdbc.BasicBinder;
import org.hibernate.type.descriptor.jdbc.VarcharJdbcType;
import org.hibernate.type.descriptor.sql.internal.DdlTypeImpl;
import org.postgresql.util.PGobject;

// ---- How to ----

// INSERT ... RETURNING fetches the id that the server makes.
@Entity
class Customer {
  @Id
  @Generated
  @ColumnDefault("gen_ulid()")
  @JdbcTypeCode(Hibernate.Ulid.CODE)
  String id;

  String name;

  @OneToMany(mappedBy = "customer")
  @BatchSize(size = 10)
  List<Item> items = new ArrayList<>();
}

@Entity
class Item {
  @Id
  @Generated
  @ColumnDefault("gen_ulid()")
  @JdbcTypeCode(Hibernate.Ulid.CODE)
  String id;

  String name;

  @ManyToOne
  @JoinColumn(name = "customer")
  Customer customer;

  @Column(columnDefinition = "ulid[]")
  @ColumnTransformer(read = "related::text[]")
  List<String> related;
}

public class Hibernate {
  // An id is a String, which is sent as a ulid. JPA is told in META-INF/services/org.hibernate.boot.model.TypeContributor.
  // With stringtype=unspecified in the URL and columnDefinition = "ulid" much works without it, but not byMultipleIds, @BatchSize
  // and upsert, which tell the server that ids are varchar.
  public static class Ulid extends VarcharJdbcType implements TypeContributor {
    static final int CODE = 20001; // any number that is not in SqlTypes

    @Override
    public int getDefaultSqlTypeCode() {
      return CODE;
    }

    // For max(id) in HQL.
    @Override
    public boolean isComparable() {
      return true;
    }

    @Override
    public void contribute(TypeContributions contributions, ServiceRegistry registry) {
      var dialect = registry.requireService(JdbcServices.class).getDialect();
      contributions.contributeJdbcType(this);
      contributions.getTypeConfiguration().getDdlTypeRegistry().addDescriptor(new DdlTypeImpl(CODE, "ulid", dialect));
    }

    @Override
    public <X> ValueBinder<X> getBinder(JavaType<X> type) {
      return new BasicBinder<>(type, this) {
        private PGobject object(X id, WrapperOptions options) throws SQLException {
          var object = new PGobject();
          object.setType("ulid");
          object.setValue(type.unwrap(id, String.class, options));
          return object;
        }

        @Override
        protected void doBind(PreparedStatement statement, X id, int index, WrapperOptions options) throws SQLException {
          statement.setObject(index, object(id, options));
        }

        @Override
        protected void doBind(CallableStatement statement, X id, String name, WrapperOptions options) throws SQLException {
          statement.setObject(name, object(id, options));
        }

        @Override
        protected void doBindNull(PreparedStatement statement, int index, WrapperOptions options) throws SQLException {
          statement.setNull(index, Types.OTHER, "ulid");
        }
      };
    }
  }

  static Item item(Session session, String name, Customer customer, List<String> related) {
    var item = new Item();
    item.name = name;
    item.customer = customer;
    item.related = related;
    session.persist(item);
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

  static SessionFactory connect(String schema) {
    var env = System.getenv();
    return new Configuration()
        .registerTypeContributor(new Ulid())
        .addAnnotatedClass(Customer.class)
        .addAnnotatedClass(Item.class)
        .setProperty("hibernate.connection.url", "jdbc:postgresql://%s:%s/%s".formatted(env.get("PGHOST"), env.get("PGPORT"), env.get("PGDATABASE")))
        .setProperty("hibernate.connection.username", env.get("PGUSER"))
        .setProperty("hibernate.connection.password", env.get("PGPASSWORD"))
        .setProperty("hibernate.hbm2ddl.auto", schema)
        .buildSessionFactory();
  }

  public static void main(String[] arguments) {
    LogManager.getLogManager().reset();
    connect("create").close();
    var factory = connect("validate");
    var session = factory.openSession();

    // The id is made when the row is inserted, which waits for the transaction to begin. So ulid_settled() waits for the row.
    var ada = new Customer();
    ada.name = "Ada";
    session.persist(ada);
    var early = ada.id;
    session.beginTransaction();
    var first = item(session, "first", ada, null);
    var settled = factory.fromSession(other -> other.createNativeQuery("SELECT ulid_settled()", String.class).getSingleResult());
    var second = item(session, "second", null, List.of(first.id));

    // Many at once: persist sends an INSERT for each row.
    session.createMutationQuery("INSERT INTO Item (name, customer) VALUES ('third', :customer), ('fourth', :customer)")
        .setParameter("customer", ada)
        .executeUpdate();

    // A row with a given id, which persist refuses.
    session.createMutationQuery("INSERT INTO Item (id, name) VALUES (:id, 'given')")
        .setParameter("id", "01AN4Z07BY79KA1307SR9X4MV3")
        .executeUpdate();
    session.getTransaction().commit();
    session.clear();

    // By id, by several ids, with the customer; and the page after an id. A native query needs a cast.
    var one = session.find(Item.class, second.id);
    var both = session.createQuery("FROM Item WHERE id IN :ids ORDER BY id", Item.class)
        .setParameter("ids", List.of(second.id, first.id))
        .getResultList();
    var ordered = session.byMultipleIds(Item.class).multiLoad(second.id, first.id);
    var items = session.find(Customer.class, ada.id).items;
    var page = session.createQuery("FROM Item WHERE id > :id ORDER BY id", Item.class)
        .setParameter("id", first.id)
        .setMaxResults(2)
        .getResultList();
    var optional = session.createQuery("FROM Item WHERE :id IS NULL OR id = :id", Item.class);
    var all = optional.setParameter("id", null).getResultList();
    var only = optional.setParameter("id", second.id).getResultList();
    var last = session.createQuery("SELECT max(id) FROM Item", String.class).getSingleResult();
    var relating = session.createNativeQuery("SELECT * FROM item WHERE CAST(:id AS ulid) = ANY (related)", Item.class)
        .setParameter("id", first.id)
        .getResultList();

    // The rows of a time range, and the time of an id.
    var june = Instant.parse("2016-06-01T00:00:00Z");
    var july = Instant.parse("2016-07-01T00:00:00Z");
    var after = session.createQuery("FROM Item WHERE id >= function('ulid_first', :time) ORDER BY id", Item.class)
        .setParameter("time", july)
        .getResultList();
    var within = session.createNativeQuery("SELECT * FROM item WHERE id <@ tstzrange(:june, :july)", Item.class)
        .setParameter("june", june)
        .setParameter("july", july)
        .getResultList();
    var time = session.createQuery("SELECT cast(id AS Instant) FROM Item WHERE name = 'given'", Instant.class).getSingleResult();

    // ---- Expected results ----

    assert early == null && settled.compareTo(ada.id) <= 0;
    assert first.id.length() == 26 && first.id.compareTo(second.id) < 0;
    assert one.name.equals("second") && one.customer == null && one.related.equals(List.of(first.id));
    assert names(both).equals(List.of("first", "second")) && both.get(0).customer.name.equals("Ada") && both.get(0).related == null;
    assert names(ordered).equals(List.of("second", "first"));
    assert names(items).size() == 3;
    assert names(page).equals(List.of("second", "third"));
    assert all.size() == 5 && names(only).equals(List.of("second")) && last.equals(after.get(3).id);
    assert names(relating).equals(List.of("second"));
    assert names(after).equals(List.of("first", "second", "third", "fourth"));
    assert names(within).equals(List.of("given")) && time.equals(Instant.parse("2016-06-13T13:25:20.894Z"));

    assert state(() -> factory.inSession(other -> other.find(Item.class, "01AN4Z07BY79KA1307SR9X4MVU"))).equals("22P02");
    assert state(() -> factory.inTransaction(other -> item(other, "unknown", other.getReference(Customer.class, first.id), null))).equals("23503");

    System.out.println("Hibernate " + org.hibernate.Version.getVersionString());
  }
}

# ids with Postgrex, and with Ecto 3. PGHOST, PGDATABASE ... say which server and database.

# ---- How to ----

# A ulid is a string. Postgrex sends and receives it in binary format: the server accepts its text as well, and sends its 16 bytes.
# The other types work alike, with their own sizes and texts.
defmodule Ulid do
  @behaviour Postgrex.Extension

  def init(_), do: nil
  def matching(_), do: [type: "ulid"]
  def format(_), do: :binary

  def encode(_) do
    quote do
      <<id::binary-26>> -> [<<26::signed-32>> | id]
      other -> raise DBConnection.EncodeError, Postgrex.Utils.encode_msg(other, "a ulid, a string of 26 digits")
    end
  end

  def decode(_) do
    quote do
      <<16::signed-32, id::binary-16>> -> unquote(__MODULE__).text(id)
    end
  end

  def text(id) do
    for <<digit::5 <- <<0::2, id::bits>> >>, into: "", do: <<:binary.at("0123456789ABCDEFGHJKMNPQRSTVWXYZ", digit)>>
  end
end

# In an application this line has a file of its own. Postgrex and the repository are started with types: Types.
Postgrex.Types.define(Types, [Ulid | Ecto.Adapters.Postgres.extensions()])

defmodule Repo do
  use Ecto.Repo, otp_app: :client, adapter: Ecto.Adapters.Postgres
end

defmodule Migration do
  use Ecto.Migration

  def change do
    create table("customer", primary_key: false) do
      add :id, :ulid, primary_key: true, default: fragment("gen_ulid()")
      add :name, :text
    end

    create table("item", primary_key: false) do
      add :id, :ulid, primary_key: true, default: fragment("gen_ulid()")
      add :name, :text
      add :customer_id, references("customer", type: :ulid)
      add :related, {:array, :ulid}
    end
  end
end

# In a schema an id is a string; the server makes it, and read_after_writes fetches it.
defmodule Customer do
  use Ecto.Schema

  @primary_key {:id, :string, read_after_writes: true}
  schema "customer" do
    field :name
    has_many :items, Item
  end
end

defmodule Item do
  use Ecto.Schema

  @primary_key {:id, :string, read_after_writes: true}
  @foreign_key_type :string
  schema "item" do
    field :name
    field :related, {:array, :string}
    belongs_to :customer, Customer
  end
end

defmodule Client do
  import Ecto.Query
  import ExUnit.Assertions

  def run do
    for application <- [:postgrex, :ecto_sql], do: {:ok, _} = Application.ensure_all_started(application)

    options = [
      hostname: System.get_env("PGHOST"),
      port: String.to_integer(System.get_env("PGPORT")),
      username: System.get_env("PGUSER"),
      password: System.get_env("PGPASSWORD"),
      database: System.get_env("PGDATABASE"),
      types: Types,
      log: false
    ]

    {:ok, connection} = Postgrex.start_link(options)
    {:ok, _} = Repo.start_link(options)
    ecto()
    postgrex(connection)
    IO.puts("Ecto #{Application.spec(:ecto, :vsn)}, Postgrex #{Application.spec(:postgrex, :vsn)}")
  end

  def postgrex(connection) do
    rows = fn sql, parameters -> Postgrex.query!(connection, sql, parameters).rows end
    [[fifth], [sixth]] = rows.("INSERT INTO item (name) VALUES ('fifth'), ('sixth') RETURNING id", [])
    found = rows.("SELECT name FROM item WHERE id = $1", [fifth])
    all = rows.("SELECT array_agg(id ORDER BY id) FROM item WHERE id = ANY ($1)", [[sixth, fifth]])
    after_july = rows.("SELECT name FROM item WHERE id >= ulid_first($1) AND id > $2", [~U[2016-07-01 00:00:00Z], fifth])

    # ---- Expected results ----

    assert found == [["fifth"]]
    assert all == [[[fifth, sixth]]]
    assert after_july == [["sixth"]]
    bad = Postgrex.query(connection, "SELECT $1::ulid", ["01AN4Z07BY79KA1307SR9X4MVU"])
    assert {:error, %{postgres: %{code: :invalid_text_representation}}} = bad
    assert_raise DBConnection.EncodeError, fn -> Postgrex.query(connection, "SELECT $1::ulid", ["x"]) end
  end

  def ecto do
    Ecto.Migrator.up(Repo, 1, Migration, log: false)

    # The server makes the id, also of many rows.
    ada = Repo.insert!(%Customer{name: "Ada"})
    first = Repo.insert!(%Item{name: "first", customer_id: ada.id})
    second = Repo.insert!(%Item{name: "second", related: [first.id]})
    {2, [third, fourth]} = Repo.insert_all(Item, [[name: "third"], [name: "fourth"]], returning: true)
    Repo.insert!(%Item{id: "01AN4Z07BY79KA1307SR9X4MV3", name: "given"})

    # By id, by several ids, by the ids in an array; and the page after an id.
    one = Repo.get!(Item, second.id) |> Repo.preload(:customer)
    both = Repo.all(from i in Item, where: i.id in ^[first.id, second.id], order_by: i.id, preload: :customer)
    relating = Repo.all(from i in Item, where: ^first.id in i.related, select: i.name)
    page = Repo.all(from i in Item, where: i.id > ^first.id, order_by: i.id, limit: 1, select: i.name)

    # The rows of a time range; and an id's time.
    june = ~U[2016-06-01 00:00:00Z]
    july = ~U[2016-07-01 00:00:00Z]
    after_july = Repo.all(from i in Item, where: i.id >= fragment("ulid_first(?)", ^july), order_by: i.id, select: i.name)
    within = from i in Item, where: fragment("? <@ tstzrange(?, ?)", i.id, ^june, ^july)
    within = Repo.all(from i in within, select: {i.name, fragment("?::timestamptz", i.id)})

    # ---- Expected results ----

    ids = for item <- [first, second, third, fourth], do: item.id
    assert byte_size(first.id) == 26 and Enum.sort(ids) == ids
    assert {one.name, one.customer, one.related} == {"second", nil, [first.id]}
    assert Enum.map(both, &{&1.id, &1.customer, &1.related}) == [{first.id, ada, nil}, {second.id, nil, [first.id]}]
    assert Enum.map(Repo.preload(ada, :items).items, & &1.name) == ["first"]
    assert relating == ["second"]
    assert page == ["second"]
    assert after_july == ["first", "second", "third", "fourth"]
    assert within == [{"given", ~U[2016-06-13 13:25:20.894000Z]}]

    assert %{postgres: %{pg_code: "22P02"}} = catch_error(Repo.get(Item, "01AN4Z07BY79KA1307SR9X4MVU"))
    nobody = Ecto.Changeset.change(%Item{}, customer_id: first.id) |> Ecto.Changeset.foreign_key_constraint(:customer_id)
    assert {:error, %{errors: [customer_id: {"does not exist", _}]}} = Repo.insert(nobody)
  end
end

Client.run()

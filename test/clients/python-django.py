# ids with Django. PGHOST, PGDATABASE ... say which server and database.

import os
from datetime import datetime, timezone

import django
from django.conf import settings

settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": os.environ["PGDATABASE"],
            "USER": os.environ["PGUSER"],
            "PASSWORD": os.environ["PGPASSWORD"],
            "HOST": os.environ["PGHOST"],
            "PORT": os.environ["PGPORT"],
        }
    },
    INSTALLED_APPS=["django.contrib.postgres"],
    USE_TZ=True,
)
django.setup()

from django.contrib.postgres.fields import ArrayField
from django.db import DataError, IntegrityError, connection, migrations, models, transaction
from django.db.backends.signals import connection_created
from django.db.migrations.state import ModelState, ProjectState
from django.db.models import Func, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast
from django.dispatch import receiver

# ---- How to ----


class UlidField(models.Field):
    """A column of the type ulid; a str in Python. The other types work alike."""

    empty_strings_allowed = False

    def db_type(self, connection):
        return "ulid"


class GeneratedUlidField(UlidField):
    """A column whose ids the server makes, also in bulk_create."""

    db_returning = True

    def pre_save(self, instance, add):
        return super().pre_save(instance, add) or RawSQL("gen_ulid()", ())


def ulid_first(time):
    """The boundary of a time: filter(id__gte=ulid_first(time))."""
    return Func(Value(time), function="ulid_first", output_field=UlidField())


@receiver(connection_created)
def register_ids(connection, **_):
    """The driver must know the array type: psycopg2, or psycopg from Django 4.2 on."""
    if connection.Database.__name__ == "psycopg":
        from psycopg.types import TypeInfo

        return TypeInfo.fetch(connection.connection, "ulid").register(connection.connection)
    from psycopg2.extensions import UNICODE, new_array_type, register_type

    with connection.cursor() as cursor:
        cursor.execute("SELECT typarray FROM pg_type WHERE typname = 'ulid'")
        register_type(new_array_type(cursor.fetchone(), "ulid[]", UNICODE), connection.connection)


class Customer(models.Model):
    id = GeneratedUlidField(primary_key=True)
    name = models.TextField()

    class Meta:
        app_label = "shop"


class Item(models.Model):
    id = GeneratedUlidField(primary_key=True)
    name = models.TextField()
    customer = models.ForeignKey(Customer, models.CASCADE, null=True)
    related = ArrayField(UlidField(), null=True)

    class Meta:
        app_label = "shop"


# What makemigrations would write, and migrate would do.
state = ProjectState()
with connection.schema_editor() as editor:
    for model in ModelState.from_model(Customer), ModelState.from_model(Item):
        operation = migrations.CreateModel(model.name, list(model.fields.items()), model.options)
        before, state = state, state.clone()
        operation.state_forwards("shop", state)
        operation.database_forwards("shop", editor, before, state)

# The server makes the id.
customer = Customer.objects.create(name="Ada")
first = Item.objects.create(name="first", customer=customer)
second = Item.objects.create(name="second", related=[first.id])
third, fourth = Item.objects.bulk_create([Item(name="third"), Item(name="fourth")])
Item.objects.create(id="01AN4Z07BY79KA1307SR9X4MV3", name="given")

# By id, by several ids, by the ids in an array, and by the other table.
one = Item.objects.get(pk=second.id)
both = list(Item.objects.filter(id__in=[first.id, second.id]).order_by("id"))
bought = list(customer.item_set.all())
one.name = "second, renamed"
one.save()

# The rows of a time range, and the page after an id.
june, july = datetime(2016, 6, 1, tzinfo=timezone.utc), datetime(2016, 7, 1, tzinfo=timezone.utc)
after = list(Item.objects.filter(id__gte=ulid_first(july)).order_by("id"))
within = Item.objects.annotate(at=Cast("id", models.DateTimeField())).get(id__gte=ulid_first(june), id__lt=ulid_first(july))
page = list(Item.objects.filter(id__gt=first.id).order_by("id")[:2])

# ---- Expected results ----

assert len(first.id) == 26 and first.id < second.id < third.id < fourth.id
assert one == second and one.related == [first.id] and one.customer is None
assert Item.objects.get(name="second, renamed").pk == second.pk
assert both == [first, second] and bought == [first]
assert after == [first, second, third, fourth]
assert within.name == "given" and within.at == datetime(2016, 6, 13, 13, 25, 20, 894000, timezone.utc)
assert page == [second, third]
assert Item.objects.filter(related__contains=[first.id]).count() == 1

try:
    with transaction.atomic():
        Item.objects.get(pk="01AN4Z07BY79KA1307SR9X4MVU")
    assert False, "an invalid id was accepted"
except DataError:
    pass
try:
    with transaction.atomic():
        Item.objects.create(name="of nobody", customer_id=first.id)
        connection.check_constraints()
    assert False, "an unknown customer was accepted"
except IntegrityError:
    pass

print("Django", django.get_version())

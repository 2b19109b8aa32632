<?php
// ids with Doctrine (DBAL and ORM). PGHOST, PGDATABASE ... say which server and database.

foreach (['Doctrine/DBAL', 'Doctrine/ORM', 'Symfony/Component/Cache'] as $package) {
    require_once "$package/autoload.php";
}

use Doctrine\DBAL\DriverManager;
use Doctrine\DBAL\Exception\DriverException;
use Doctrine\DBAL\Exception\ForeignKeyConstraintViolationException;
use Doctrine\DBAL\Platforms\AbstractPlatform;
use Doctrine\DBAL\Types\Type;
use Doctrine\DBAL\Types\Types;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\EntityManagerInterface;
use Doctrine\ORM\Id\AbstractIdGenerator;
use Doctrine\ORM\Mapping as ORM;
use Doctrine\ORM\ORMSetup;
use Doctrine\ORM\Tools\SchemaTool;

// ---- How to ----

// A column of the type ulid; a string in PHP. The other types work alike.
class UlidType extends Type
{
    public function getSQLDeclaration(array $column, AbstractPlatform $platform): string
    {
        return 'ulid';
    }

    public function getName(): string
    {
        return 'ulid';
    }
}

// The server makes the id in persist(), before the row is inserted. If you read new rows up to ulid_settled(), call persist()
// within wrapInTransaction(): the id must be made in the transaction that inserts the row.
class UlidGenerator extends AbstractIdGenerator
{
    public function generateId(EntityManagerInterface $em, $entity): mixed
    {
        return $em->getConnection()->fetchOne('SELECT gen_ulid()');
    }
}

#[ORM\Entity]
class Customer
{
    #[ORM\Id, ORM\Column(type: 'ulid'), ORM\GeneratedValue(strategy: 'CUSTOM'), ORM\CustomIdGenerator(class: UlidGenerator::class)]
    public ?string $id = null;

    public function __construct(#[ORM\Column(type: 'text')] public string $name)
    {
    }
}

#[ORM\Entity]
class Item
{
    #[ORM\Id, ORM\Column(type: 'ulid'), ORM\GeneratedValue(strategy: 'CUSTOM'), ORM\CustomIdGenerator(class: UlidGenerator::class)]
    public ?string $id = null;

    public function __construct(
        #[ORM\Column(type: 'text')] public string $name,
        #[ORM\ManyToOne] public ?Customer $customer = null,
    ) {
    }
}

$connection = DriverManager::getConnection([
    'driver' => 'pdo_pgsql',
    'host' => getenv('PGHOST'),
    'port' => (int) getenv('PGPORT'),
    'user' => getenv('PGUSER'),
    'password' => getenv('PGPASSWORD'),
    'dbname' => getenv('PGDATABASE'),
]);
Type::addType('ulid', UlidType::class);
$connection->getDatabasePlatform()->registerDoctrineTypeMapping('ulid', 'ulid');
$configuration = ORMSetup::createAttributeMetadataConfiguration([__FILE__], true);
$entities = new EntityManager($connection, $configuration);

// The schema, from the classes; afterwards the tool finds nothing to change.
$tool = new SchemaTool($entities);
$classes = [$entities->getClassMetadata(Customer::class), $entities->getClassMetadata(Item::class)];
$tool->createSchema($classes);
$left = $tool->getUpdateSchemaSql($classes);

$ada = new Customer('Ada');
$first = new Item('first', $ada);
$second = new Item('second');
foreach ([$ada, $first, $second] as $entity) {
    $entities->persist($entity);
}
$entities->flush();
$connection->insert('item', ['id' => '01AN4Z07BY79KA1307SR9X4MV3', 'name' => 'given']);
$entities->clear();

// By id, by several ids; and the page after an id.
$one = $entities->find(Item::class, $first->id);
$both = $entities->getRepository(Item::class)->findBy(['id' => [$second->id, $first->id]], ['id' => 'ASC']);
$page = $entities->createQuery('SELECT i.name FROM Item i WHERE i.id > :id ORDER BY i.id')->setMaxResults(2)
    ->setParameter('id', '01AN4Z07BY79KA1307SR9X4MV3')->getSingleColumnResult();

// The rows of a time range.
[$june, $july] = [new DateTimeImmutable('2016-06-01 00:00:00Z'), new DateTimeImmutable('2016-07-01 00:00:00Z')];
$boundary = $connection->fetchOne('SELECT ulid_first(?)', [$july], [Types::DATETIMETZ_IMMUTABLE]);
$after = $entities->createQuery('SELECT i.name FROM Item i WHERE i.id >= :boundary ORDER BY i.id')
    ->setParameter('boundary', $boundary)->getSingleColumnResult();
$within = $connection->fetchAllNumeric(
    'SELECT name, extract(epoch FROM id::timestamptz) * 1000 FROM item WHERE id <@ tstzrange(?, ?)',
    [$june, $july],
    [Types::DATETIMETZ_IMMUTABLE, Types::DATETIMETZ_IMMUTABLE]
);

// ---- Expected results ----

function expect(mixed $got, mixed $wanted): void
{
    if ($got != $wanted) {
        throw new Exception('got ' . var_export($got, true) . ' instead of ' . var_export($wanted, true));
    }
}

expect(strlen($first->id), 26);
expect($left, []);
expect($one->name, 'first');
expect($one->customer->name, 'Ada');
expect(array_map(fn ($item) => $item->name, $both), ['first', 'second']);
expect($both[1]->customer, null);
expect($page, ['first', 'second']);
expect($after, ['first', 'second']);
expect($within, [['given', '1465824320894.000000']]);

try {
    $entities->find(Item::class, '01AN4Z07BY79KA1307SR9X4MVU');
    throw new Exception('an invalid id was accepted');
} catch (DriverException $error) {
    expect($error->getSQLState(), '22P02');
}
try {
    $connection->insert('item', ['id' => '01AN4Z07BY79KA1307SR9X4MV4', 'name' => 'of nobody', 'customer_id' => $first->id]);
    throw new Exception('an unknown customer was accepted');
} catch (ForeignKeyConstraintViolationException $error) {
}

echo "Doctrine\n";

<?php
// ids with Eloquent, the models of Laravel. PGHOST, PGDATABASE ... say which server and database.

require_once 'Illuminate/Database/autoload.php';

use Illuminate\Database\Capsule\Manager as Capsule;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Query\Expression;
use Illuminate\Database\QueryException;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Database\Schema\Grammars\PostgresGrammar;

// ---- How to ----

// In a service provider's boot(): columns of any type that the server has.
PostgresGrammar::macro('typeRaw', fn ($column) => $column->get('definition'));

$capsule = new Capsule();
$capsule->addConnection([
    'driver' => 'pgsql',
    'host' => getenv('PGHOST'),
    'port' => getenv('PGPORT'),
    'username' => getenv('PGUSER'),
    'password' => getenv('PGPASSWORD'),
    'database' => getenv('PGDATABASE'),
    'timezone' => 'UTC',
]);
$capsule->setAsGlobal();
$capsule->bootEloquent();

// A migration; in a project it is a file of its own.
Capsule::schema()->create('customers', function (Blueprint $table) {
    $table->addColumn('raw', 'id', ['definition' => 'ulid'])->default(new Expression('gen_ulid()'))->primary();
    $table->text('name');
});
Capsule::schema()->create('items', function (Blueprint $table) {
    $table->addColumn('raw', 'id', ['definition' => 'ulid'])->default(new Expression('gen_ulid()'))->primary();
    $table->text('name');
    $table->addColumn('raw', 'customer_id', ['definition' => 'ulid'])->nullable();
    $table->foreign('customer_id')->references('id')->on('customers');
});

// The server makes the id, as $incrementing is true, and it is a string.
class Customer extends Model
{
    public $timestamps = false;
    protected $guarded = [];
    protected $keyType = 'string';

    public function items()
    {
        return $this->hasMany(Item::class);
    }
}

class Item extends Model
{
    public $timestamps = false;
    protected $guarded = [];
    protected $keyType = 'string';

    public function customer()
    {
        return $this->belongsTo(Customer::class);
    }
}

$ada = Customer::create(['name' => 'Ada']);
$first = $ada->items()->create(['name' => 'first']);
$second = Item::create(['name' => 'second']);
Item::insert([['name' => 'third'], ['name' => 'fourth']]);
Item::insert(['id' => '01AN4Z07BY79KA1307SR9X4MV3', 'name' => 'given']);

// By id, by several ids, with related rows, and the page after an id.
$one = Item::with('customer')->find($first->id);
$both = Item::orderBy('id')->findMany([$second->id, $first->id]);
$related = $ada->items->pluck('name');
$page = Item::where('id', '>', $first->id)->orderBy('id')->limit(2)->pluck('name');
$chunks = [];
Item::chunkById(2, function ($items) use (&$chunks) {
    $chunks[] = $items->pluck('name')->all();
});

// The rows of a time range. Laravel sends a time without its zone, which is 'timezone' above.
[$june, $july] = [new DateTimeImmutable('2016-06-01 00:00:00Z'), new DateTimeImmutable('2016-07-01 00:00:00Z')];
$after = Item::whereRaw('id >= ulid_first(?)', [$july])->orderBy('id')->pluck('name');
$within = Item::whereRaw('id <@ tstzrange(?, ?)', [$june, $july])->selectRaw('name, extract(epoch FROM id::timestamptz) * 1000 AS at')->get();

// A later migration. Laravel alters columns through Doctrine, which must know the type.
Capsule::connection()->getDoctrineConnection()->getDatabasePlatform()->registerDoctrineTypeMapping('ulid', 'string');
Capsule::schema()->table('items', fn (Blueprint $table) => $table->renameColumn('name', 'label'));

// ---- Expected results ----

function expect(mixed $got, mixed $wanted): void
{
    if ($got !== $wanted) {
        throw new Exception('got ' . var_export($got, true) . ' instead of ' . var_export($wanted, true));
    }
}

function fails(string $state, callable $action): void
{
    try {
        $action();
    } catch (QueryException $error) {
        expect($error->getCode(), $state);
        return;
    }
    throw new Exception('an invalid id was accepted');
}

expect(strlen($first->id), 26);
expect($first->id < $second->id, true);
expect([$one->name, $one->customer->name], ['first', 'Ada']);
expect($both->pluck('name')->all(), ['first', 'second']);
expect($both[1]->customer_id, null);
expect($related->all(), ['first']);
expect($page->all(), ['second', 'third']);
expect($chunks, [['given', 'first'], ['second', 'third'], ['fourth']]);
expect($after->all(), ['first', 'second', 'third', 'fourth']);
expect($within->map->only('name', 'at')->all(), [['name' => 'given', 'at' => '1465824320894.000000']]);
expect(Capsule::schema()->hasColumn('items', 'label'), true);

fails('22P02', fn () => Item::find('01AN4Z07BY79KA1307SR9X4MVU'));
fails('23503', fn () => Item::create(['label' => 'of nobody', 'customer_id' => $first->id]));

echo "Eloquent\n";

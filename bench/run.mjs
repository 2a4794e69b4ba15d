/** `npm run bench [NAME...]`: runs the benchmarks of all packages one after the other and prints a table of each. */

const BENCHES = {
  governor: '../governor/bench/peers.mjs',
  memory: '../governor/bench/memory.mjs',
  size: '../governor/bench/size.mjs',
  kernel: '../sim/bench/kernel.mjs',
  models: '../providers-mock/bench/models.mjs',
  server: '../providers-mock/bench/server.mjs',
  scenario: '../sim/bench/scenario.mjs',
  throughput: '../sim/bench/throughput.mjs',
  scaling: '../sim/bench/scaling.mjs',
  live: '../sim/bench/live.mjs',
  'live-memory': '../sim/bench/live-memory.mjs',
  tune: '../sim/bench/tune.mjs',
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : Object.keys(BENCHES)) {
  console.error(`${name} …`);
  const { bench } = await import(BENCHES[name]);
  console.log(`\n${name}`);
  for (const row of await bench()) {
    const value = row.value.toLocaleString('en', { maximumSignificantDigits: 4 });
    console.log(`  ${row.name.padEnd(54)} ${value.padStart(12)} ${row.unit.padEnd(12)} ${row.note}`);
  }
}

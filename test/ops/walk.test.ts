/**
 * The commands of docs/deploying.md for backup, restore, moving and upgrade, as they are written there. The folders of
 * the machine are moved below a temporary one, and `systemctl`, `runuser`, `chown`, `git` and `npm` do what they do
 * there: start and stop a venue, run a command, or nothing.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { BourseClient, ControlClient } from '../../src/index.ts';
import { freePort, LONG_MS, ranBeside, root } from './support.ts';

const skip = process.platform !== 'linux' && 'the page is for Linux with systemd';
const page = readFileSync(join(root, 'docs/deploying.md'), 'utf8');
const [BACKUP, RESTORE, PACK, UNPACK, UPGRADE] = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code);

/** What the commands of the page are on this machine. */
const PROGRAMS = {
  bourse: `exec "${process.execPath}" "${join(root, 'bin/bourse.js')}" "$@"`,
  runuser: 'shift 3; exec "$@"',
  chown: 'exit 0',
  npm: 'echo "npm $*" >> "$MACHINE/called"',
  git: 'echo "git $*" >> "$MACHINE/called"',
  // Ready or ended: the first line of the venue, or the end of its output.
  systemctl: `
    if [ "$1" = start ]; then
      rm -f "$MACHINE/ready"; mkfifo "$MACHINE/ready"
      bourse start > "$MACHINE/ready" 2>> "$MACHINE/log" &
      echo $! > "$MACHINE/pid"
      head -n 1 "$MACHINE/ready" | grep -q ready
    else
      kill -TERM "$(cat "$MACHINE/pid")"
      tail --pid="$(cat "$MACHINE/pid")" -f /dev/null
      rm "$MACHINE/pid"
    fi`,
};

/** A machine with a service: /var/lib/bourse, /etc/bourse and the rest lie below its folder. */
class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'bourse-machine-'));
  readonly data = join(this.folder, 'var/lib/bourse');
  #port = 0;
  #controlPort = 0;

  async begin(): Promise<void> {
    [this.#port, this.#controlPort] = [await freePort(), await freePort()];
    for (const path of ['var/lib', 'var/backups/bourse', 'etc/bourse', 'root', 'bin', 'opt/bourse']) {
      mkdirSync(join(this.folder, path), { recursive: true });
    }
    for (const [name, script] of Object.entries(PROGRAMS)) {
      writeFileSync(join(this.folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
  }

  /** Runs commands of the page. Each must succeed. */
  async run(code: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
    const here = code
      .replaceAll(/(?<![\w/])\/(var|etc|root|opt)\//g, `${this.folder}/$1/`)
      .replaceAll('-C / ', `-C ${this.folder} `);
    const env = {
      PATH: [join(this.folder, 'bin'), process.env.PATH].join(delimiter),
      MACHINE: this.folder,
      HOME: this.folder,
      BOURSE_DATA: this.data,
      BOURSE_MASTER_KEY_FILE: join(this.folder, 'etc/bourse/master.key'),
      BOURSE_PORT: String(this.#port),
      BOURSE_CONTROL_PORT: String(this.#controlPort),
      BOURSE_MAX_QUEUE_MS: 'off',
      ...more,
    };
    const { status, output } = await ranBeside(['/bin/sh', '-e', '-c', here], { cwd: this.folder, env });
    assert.equal(status, 0, `${here}\n${output}\n${this.#log()}`);
  }

  get control(): ControlClient {
    const token = readFileSync(join(this.data, 'control-token'), 'utf8').trim();
    return new ControlClient({ url: `http://127.0.0.1:${this.#controlPort}`, token });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  called(): string[] {
    return readFileSync(join(this.folder, 'called'), 'utf8').trim().split('\n');
  }

  #log(): string {
    const log = join(this.folder, 'log');
    return existsSync(log) ? readFileSync(log, 'utf8') : '';
  }

  end(): void {
    const pid = join(this.folder, 'pid');
    if (existsSync(pid)) process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const machines: Machine[] = [];
after(() => {
  for (const machine of machines) machine.end();
});

async function machine(): Promise<Machine> {
  const made = new Machine();
  machines.push(made);
  await made.begin();
  return made;
}

test('backup, restore, moving and upgrade, as the page has them: the same state, the same keys, a clean log', {
  skip,
  timeout: LONG_MS,
}, async () => {
  const old = await machine();
  writeFileSync(join(old.folder, 'etc/bourse/master.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
  await old.run('systemctl start bourse');
  await old.control.createAccount('alice');
  await old.control.deposit('alice', 'USDT', '1000');
  const key = await old.control.createKey('alice', { permissions: ['read', 'trading'] });
  await old.control.setPrices('BTC-USDT', { index: 100 });
  const order = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 99, orderSize: 1 } as const;
  await new BourseClient({ url: old.url, ...key }).placeSpotOrder(order);
  const before = await old.control.state();

  await old.run(BACKUP);
  await old.control.deposit('alice', 'USDT', '1'); // After the backup, so that it is missing later.
  await old.run(RESTORE);
  assert.equal((await old.control.state()).hash, before.hash);
  assert.ok(existsSync(join(old.folder, 'var/lib/bourse.before')));

  await old.run(PACK);
  assert.equal(existsSync(join(old.folder, 'pid')), false);
  const other = await machine();
  cpSync(join(old.folder, 'root/bourse.tar.gz'), join(other.folder, 'root/bourse.tar.gz'));
  await other.run(UNPACK);
  assert.equal((await other.control.state()).hash, before.hash);
  assert.equal((await other.control.account('alice')).openOrders, 1);

  await other.run(UPGRADE, { VERSION: 'v9' });
  assert.equal((await other.control.state()).hash, before.hash);
  assert.deepEqual(other.called(), [
    `git -C ${other.folder}/opt/bourse rev-parse HEAD`,
    `git -C ${other.folder}/opt/bourse checkout --quiet v9`,
    'npm ci --omit=dev --ignore-scripts',
  ]);
  assert.equal(readdirSync(join(other.folder, 'var/backups/bourse')).length, 1);
  const trader = new BourseClient({ url: other.url, ...key });
  await trader.placeSpotOrder(order);
  assert.equal((await other.control.account('alice')).openOrders, 2);
  await other.run('systemctl stop bourse');
  assert.ok(existsSync(join(other.data, 'sealed')));
});

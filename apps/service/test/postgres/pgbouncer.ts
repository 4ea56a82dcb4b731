import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '@svc-audio/kit/hosts'

const run = promisify(execFile)

/** PgBouncer of this test alone. */
export interface PgBouncer {
  readonly port: number
  stop(): Promise<void>
}

/** Starts Debian's PgBouncer in front of a server. @throws when it is not installed */
export async function startPgBouncer(target: number, mode: 'session' | 'transaction'): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-pgbouncer-'))
  const port = await freePort()
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${target}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${folder}/users`,
    `pool_mode = ${mode}`,
    'default_pool_size = 20',
    'max_client_conn = 200',
  ]
  await writeFile(join(folder, 'settings.ini'), `${settings.join('\n')}\n`)
  await writeFile(join(folder, 'users'), '"test" ""\n')
  const ids = process.getuid?.() === 0 ? await Promise.all(['-u', '-g'].map(idOf)) : []
  const [uid, gid] = ids
  if (uid !== undefined && gid !== undefined) {
    for (const path of [folder, join(folder, 'settings.ini'), join(folder, 'users')]) await chown(path, uid, gid)
  }
  const child = spawn('pgbouncer', ['-q', join(folder, 'settings.ini')], {
    stdio: 'ignore',
    ...(uid === undefined || gid === undefined ? {} : { uid, gid }),
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
  })
  const failed = once(child, 'error')
  await Promise.race([ready(port), failed.then(([error]) => Promise.reject(error as Error))])
  return {
    port,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function idOf(flag: string): Promise<number> {
  return Number((await run('id', [flag, 'postgres'])).stdout)
}

async function ready(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    await sleep(50)
  }
}

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createResolver, type Resolve, type ResolverOptions } from './resolver.ts'

let folder: string
let asked: string[]
/** IPv4 addresses by name. A name without an entry gets no response. */
let zone: Record<string, string | undefined>
let port: number
let close: () => void
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  asked = []
  zone = {}
  const socket = createSocket('udp4', (message, { port: asker }) => {
    const name = nameIn(message)
    asked.push(name)
    if (name in zone) socket.send(answerTo(message, name, zone[name]), asker, '127.0.0.1')
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  ;({ port } = socket.address())
  close = () => socket.close()
})
afterEach(async () => {
  close()
  await rm(folder, { recursive: true })
})

/** The name in a question: parts with their lengths, behind a header of 12 bytes. */
function nameIn(message: Buffer): string {
  const parts: string[] = []
  for (let at = 12; message[at] !== 0; at += (message[at] ?? 0) + 1) {
    parts.push(message.toString('latin1', at + 1, at + 1 + (message[at] ?? 0)))
  }
  return parts.join('.').toLowerCase()
}

/** The response to a question: one address to a question of type A, none otherwise, or an unknown name. */
function answerTo(question: Buffer, name: string, address: string | undefined): Buffer {
  const end = 12 + name.length + 2 + 4
  const answer = Buffer.from(question.subarray(0, end))
  const found = address !== undefined && question.readUInt16BE(end - 4) === 1
  answer.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2)
  answer.writeUInt16BE(found ? 1 : 0, 6)
  answer.writeUInt32BE(0, 8)
  if (!found) return answer
  const bytes = address.split('.').map(Number)
  return Buffer.concat([answer, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...bytes])])
}

async function resolver(options: ResolverOptions & { hosts?: string; search?: string } = {}): Promise<Resolve> {
  const [hostsFile, searchFile] = [join(folder, 'hosts'), join(folder, 'search')]
  await writeFile(hostsFile, options.hosts ?? '')
  await writeFile(searchFile, options.search ?? '')
  return createResolver({ servers: [`127.0.0.1:${port}`], timeout: 300, tries: 1, ...options, hostsFile, searchFile })
}

test('a name has the addresses that its server names', async () => {
  zone['media.example.com'] = '93.184.216.34'
  expect(await (await resolver())('Media.Example.com.')).toEqual([{ address: '93.184.216.34', family: 4 }])
})

test('a name of the hosts file needs no server', async () => {
  const resolve = await resolver({
    hosts: '# mine\n10.1.2.3 other hooks.lan # here\n::1 hooks.lan\nbroken hooks.lan\n',
  })
  expect(await resolve('HOOKS.lan')).toEqual([
    { address: '10.1.2.3', family: 4 },
    { address: '::1', family: 6 },
  ])
  expect(asked).toEqual([])
})

test('a name without a dot is completed with the search domains', async () => {
  zone = { 'hooks.one.lan': undefined, 'hooks.two.lan': '10.0.0.2' }
  const resolve = await resolver({ search: 'nameserver 1.1.1.1\nsearch one.lan two.lan\n' })
  expect(await resolve('hooks')).toEqual([{ address: '10.0.0.2', family: 4 }])
})

test('an unknown name and a silent server throw', async () => {
  zone['unknown.example.com'] = undefined
  const resolve = await resolver()
  await expect(resolve('unknown.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  await expect(resolve('silent.example.com')).rejects.toMatchObject({ code: 'ETIMEOUT' })
})

test('forty silent names delay neither files nor other names', async () => {
  zone['fast.example.com'] = '93.184.216.34'
  const resolve = await resolver({ timeout: 20_000 })
  let settled = 0
  for (let n = 0; n < 40; n += 1) {
    void resolve(`silent-${n}.example.com`)
      .catch(() => undefined)
      .finally(() => (settled += 1))
  }
  await expect.poll(() => new Set(asked).size).toBe(40)
  expect(await resolve('fast.example.com')).toHaveLength(1)
  expect(await readFile(import.meta.filename, 'utf8')).not.toBe('')
  expect(settled).toBe(0)
})

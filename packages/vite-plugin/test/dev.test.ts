import { expect, test } from 'vitest'
import type { Narration } from '../src/index.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

const TRAIN = 'The train to the coast leaves at seven in the morning.'
const ONE = { 'main.js': `export { default } from './post.md?narrate'`, 'post.md': TRAIN }
const WAV = { response_format: 'wav' } as const

test('loading a page makes no call, and its first play makes one', async () => {
  const site = await stage.site(ONE, WAV)
  const dev = await site.dev()
  const narration = await dev.load('post.md?narrate')
  expect(narration).toEqual({
    src: expect.stringMatching(/^\/@narration\/[\da-f]{64}\.wav$/),
    type: 'audio/wav',
    durationSeconds: undefined,
    bytes: undefined,
    characters: TRAIN.length,
    text: TRAIN,
    title: undefined,
    language: undefined,
    captions: expect.stringMatching(/^\/@narration\/[\da-f]{64}\.vtt$/),
    sections: [],
  })
  expect(stage.calls).toHaveLength(0)

  const response = await fetch(dev.url + narration.src)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('audio/wav')
  expect(response.headers.get('accept-ranges')).toBe('bytes')
  const { byteLength } = await response.arrayBuffer()
  expect(response.headers.get('content-length')).toBe(String(byteLength))
  expect(stage.calls).toHaveLength(1)
})

test('after the first play, the next load has the length, in dev and in a build', async () => {
  const site = await stage.site(ONE, WAV)
  const dev = await site.dev()
  const before = await dev.load('post.md?narrate')
  const { byteLength } = await (await fetch(dev.url + before.src)).arrayBuffer()
  const after = await dev.load('post.md?narrate')
  expect(after).toEqual({ ...before, bytes: byteLength, durationSeconds: (byteLength - 44) / 48_000 })
  await dev.close()

  const restarted = await site.dev()
  expect(await restarted.load('post.md?narrate')).toEqual(after)
  expect((await site.buildOne()).durationSeconds).toBe(after.durationSeconds)
  expect(stage.calls).toHaveLength(1)
})

test('three parallel range requests make one call and fit together', async () => {
  const site = await stage.site(ONE, WAV)
  const dev = await site.dev()
  const url = dev.url + (await dev.load('post.md?narrate')).src
  const held = stage.hold()
  const ranges = ['bytes=0-99', 'bytes=100-199', 'bytes=200-'].map((range) => fetch(url, { headers: { range } }))
  await stage.called(1)
  held.release()
  const responses = await Promise.all(ranges)
  expect(responses.map(({ status }) => status)).toEqual([206, 206, 206])
  const parts = await Promise.all(responses.map((response) => response.bytes()))
  const whole = await (await fetch(url)).bytes()
  expect(Buffer.concat(parts)).toEqual(Buffer.from(whole))
  expect(responses.map(({ headers }) => headers.get('content-range'))).toEqual([
    `bytes 0-99/${whole.length}`,
    `bytes 100-199/${whole.length}`,
    `bytes 200-${whole.length - 1}/${whole.length}`,
  ])
  expect(stage.calls).toHaveLength(1)
})

test('ETag, HEAD and unsatisfiable ranges are answered as HTTP requires', async () => {
  const site = await stage.site(ONE, WAV)
  const dev = await site.dev()
  const url = dev.url + (await dev.load('post.md?narrate')).src
  const head = await fetch(url, { method: 'HEAD' })
  const etag = head.headers.get('etag') ?? ''
  const size = Number(head.headers.get('content-length'))
  expect(etag).toMatch(/^"[\da-f]{64}"$/)
  expect((await fetch(url, { headers: { 'if-none-match': `"x", W/${etag}` } })).status).toBe(304)
  const beyond = await fetch(url, { headers: { range: `bytes=${size}-` } })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
  const same = await fetch(url, { headers: { range: 'bytes=0-9', 'if-range': etag } })
  expect([same.status, (await same.bytes()).length]).toEqual([206, 10])
  const other = await fetch(url, { headers: { range: 'bytes=0-9', 'if-range': '"of another recording"' } })
  expect([other.status, (await other.bytes()).length]).toEqual([200, size])
  const post = await fetch(url, { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect(stage.calls).toHaveLength(1)
})

test('the address follows base and origin', async () => {
  const site = await stage.site(ONE, WAV)
  const dev = await site.dev({}, { base: '/docs/' })
  const { src } = await dev.load('post.md?narrate')
  expect(src).toMatch(/^\/docs\/@narration\//)
  expect((await fetch(dev.url + src)).status).toBe(200)

  const elsewhere = await site.dev({}, { server: { origin: 'https://assets.example' } })
  expect((await elsewhere.load('post.md?narrate')).src).toMatch(/^https:\/\/assets\.example\/@narration\//)
})

test('an address that no page has is not found and makes no call', async () => {
  const site = await stage.site(ONE, WAV)
  const dev = await site.dev()
  for (const name of [`${'0'.repeat(64)}.wav`, '../../../package.json', 'x.wav', `${'0'.repeat(64)}.json`, '']) {
    expect((await fetch(`${dev.url}/@narration/${name}`, { method: 'GET' })).status).toBe(404)
  }
  expect(stage.calls).toHaveLength(0)
})

test('a page loaded before a restart still plays cached audio', async () => {
  const site = await stage.site(ONE, WAV)
  const first = await site.dev()
  const { src } = await first.load('post.md?narrate')
  const audio = await (await fetch(first.url + src)).bytes()
  await first.close()
  await stage.upstream.idle()
  const second = await site.dev()
  expect(await (await fetch(second.url + src)).bytes()).toEqual(audio)
})

test('a file that Vite may not serve is not read', async () => {
  const outside = await stage.site({ 'secret.txt': 'the password' })
  const site = await stage.site({ ...ONE, '.env.txt': 'the password' }, WAV)
  const dev = await site.dev()
  for (const path of [`/@fs${outside.root}/secret.txt?import&narrate`, '/.env.txt?import&narrate']) {
    const response = await fetch(dev.url + path)
    expect(response.ok).toBe(false)
    expect(await response.text()).not.toContain('the password')
  }
  expect(dev.errors.join('\n')).toContain('server.fs.allow')
})

test('server rendering gives the same address, and its audio comes from the same middleware', async () => {
  const site = await stage.site(ONE, WAV)
  const dev = await site.dev()
  const rendered = (await dev.server.ssrLoadModule('/main.js')) as { default: Narration }
  expect(await dev.load('post.md?narrate')).toMatchObject({ ...rendered.default })
  expect((await fetch(dev.url + rendered.default.src)).status).toBe(200)
})

test('a failure is answered, logged with the file and without the key, and tried again', async () => {
  const apiKey = 'a-secret-key-that-nobody-knows'
  const site = await stage.site(ONE, WAV)
  const dev = await site.dev({ apiKey })
  const { src } = await dev.load('post.md?narrate')
  const response = await fetch(dev.url + src)
  const text = await response.text()
  expect(response.status).toBe(502)
  expect(text).toContain('post.md cannot be narrated')
  expect(text).toContain('check apiKey')
  expect(dev.errors.map((error) => `${error}\n`)).toEqual([text])
  expect(text).not.toContain(apiKey)
  await fetch(dev.url + src)
  expect(stage.calls).toHaveLength(2)
})

test('closing the server aborts its calls', async () => {
  const site = await stage.site(ONE, WAV)
  const dev = await site.dev()
  const { src } = await dev.load('post.md?narrate')
  const held = stage.hold()
  const playing = fetch(dev.url + src)
  await stage.called(1)
  await dev.server.close()
  expect(await stage.upstream.requests[0]?.closed()).toBe('closedByClient')
  expect((await playing).status).toBe(503)
  held.release()
  expect(await site.list('node_modules')).toEqual([])
  expect(dev.errors).toEqual([])
})

test('a disconnect drops a queued segment; a started one is finished for the next listener', async () => {
  const texts = { 'a.md': 'The first text.', 'b.md': 'The second text.', 'c.md': 'The third text.' }
  const site = await stage.site(texts, { ...WAV, concurrency: 1 })
  const dev = await site.dev()
  const a = dev.url + (await dev.load('a.md?narrate')).src
  const b = dev.url + (await dev.load('b.md?narrate')).src
  const held = stage.hold()
  const leaving = new AbortController()
  const first = fetch(a, { signal: leaving.signal })
  await stage.called(1)
  const second = fetch(b, { signal: leaving.signal })
  await dev.received(4) // two modules, two audios
  leaving.abort()
  expect((await Promise.allSettled([first, second])).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await dev.idle()
  held.release()
  expect((await fetch(a)).status).toBe(200)
  // would have its turn after the second
  expect((await fetch(dev.url + (await dev.load('c.md?narrate')).src)).status).toBe(200)
  expect(stage.calls.map(({ input }) => input)).toEqual(['The first text.', 'The third text.'])
})

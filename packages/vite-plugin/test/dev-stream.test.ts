import { expect, test } from 'vitest'
import { FORMATS } from '../src/audio/index.ts'
import { setUpStage, SPEECH } from './support/stage.ts'
import { hold, status } from '@svc-audio/testing'

const stage = setUpStage()

const SITE = { 'main.js': `export { default } from './post.md?narrate'`, 'post.md': 'One.\n\nTwo.\n\nThree.' }

test.each(['flac', 'opus', 'mp3', 'wav'] as const)(
  '%s is streamed: the first segment arrives before the second exists',
  async (format) => {
    const site = await stage.site(SITE, { response_format: format, concurrency: 1 })
    const dev = await site.dev()
    const { src, captions } = await dev.load('post.md?narrate')
    expect(await (await fetch(dev.url + captions)).text()).toBe('WEBVTT\n\nNOTE partial\n')

    const second = stage.hold()
    stage.upstream.next(SPEECH, stage.speaks)
    const response = await fetch(dev.url + src, { headers: { range: 'bytes=0-' } })
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null])
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(value?.length).toBeGreaterThan(1000)
    await stage.called(2)
    // the captions that are known
    const partial = await (await fetch(dev.url + captions)).text()
    expect(partial).toMatch(/-->.*\nOne\.\n\nNOTE partial\n$/s)
    expect(partial).not.toContain('Two.')
    second.release()
    const chunks = [value ?? new Uint8Array()]
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) chunks.push(next.value)
    const streamed = Buffer.concat(chunks)
    // The head of a FLAC stream tells no length; flac-file.test.ts decodes one.
    const hasLength = format !== 'flac'
    expect((FORMATS[format].seconds(streamed) ?? 0) > 3).toBe(hasLength)

    const whole = await fetch(dev.url + src, { headers: { range: 'bytes=0-' } })
    expect([whole.status, whole.headers.get('accept-ranges')]).toEqual([206, 'bytes'])
    expect(whole.headers.get('etag')).toMatch(/^"[\da-f]{64}"$/)
    const seconds = FORMATS[format].seconds(await whole.bytes())
    expect(seconds).toBeGreaterThan(3)
    expect(seconds).toBe(hasLength ? FORMATS[format].seconds(streamed) : seconds)
    expect(await (await fetch(dev.url + captions)).text()).not.toContain('partial')
    expect(stage.calls.map(({ input }) => input)).toEqual(['One.', 'Two.', 'Three.'])
  },
)

test('a failed segment cuts the stream, and finished segments are stored', async () => {
  const site = await stage.site(SITE, { concurrency: 1 })
  const dev = await site.dev()
  const { src } = await dev.load('post.md?narrate')
  stage.upstream.next(SPEECH, stage.speaks, status(400, { error: { message: 'no' } }))
  const response = await fetch(dev.url + src)
  await expect(response.bytes()).rejects.toThrow('terminated')
  expect(dev.errors.join()).toContain('post.md cannot be narrated: ')
  await (await fetch(dev.url + src)).bytes()
  expect(stage.calls.map(({ input }) => input).filter((input) => input === 'One.')).toHaveLength(1)
})

test('a disconnect drops segments that have not started', async () => {
  const site = await stage.site(SITE, { concurrency: 1 })
  const dev = await site.dev()
  const { src } = await dev.load('post.md?narrate')
  const held = hold(stage.speaks)
  stage.upstream.next(SPEECH, stage.speaks, held)
  const leaving = new AbortController()
  const response = await fetch(dev.url + src, { signal: leaving.signal })
  await response.body?.getReader().read()
  await stage.called(2)
  leaving.abort()
  await dev.idle()
  held.release()
  await stage.upstream.idle()
  expect(stage.calls.map(({ input }) => input)).toEqual(['One.', 'Two.'])
})

test('an edited paragraph costs its own call when it is played', async () => {
  const site = await stage.site(SITE)
  const dev = await site.dev()
  await dev.server.transformRequest('/main.js')
  const before = await dev.load('post.md?narrate')
  await (await fetch(dev.url + before.src)).bytes()
  await dev.edit({ 'post.md': 'One.\n\nSomething else.\n\nThree.' })
  const after = await dev.load('post.md?narrate')
  await (await fetch(dev.url + after.src)).bytes()
  expect(stage.calls.map(({ input }) => input).at(-1)).toBe('Something else.')
  expect(stage.calls).toHaveLength(4)
})

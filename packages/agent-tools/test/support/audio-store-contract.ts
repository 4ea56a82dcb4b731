import { expect, test } from 'vitest'
import { isAudioId } from '../../src/store/audio-store.ts'
import type { AudioStore, OpenedAudio } from '../../src/index.ts'

const PARTS = [new Uint8Array(70_000).fill(1), new Uint8Array(3).fill(2)]
const WHOLE = Buffer.concat(PARTS)

async function* parts(): AsyncGenerator<Uint8Array, void, undefined> {
  yield* PARTS
}

async function readAll(opened: OpenedAudio | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  if (opened === undefined || !('stream' in opened)) throw new Error('The store opened nothing to read')
  for await (const chunk of opened.stream()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** What every store that can be read keeps. */
export function audioStoreContract(create: () => AudioStore | Promise<AudioStore>): void {
  test('what was put can be opened, as often as wanted', async () => {
    const store = await create()
    const stored = await store.put(parts(), { contentType: 'audio/wav' })
    expect(stored).toMatchObject({ contentType: 'audio/wav', bytes: WHOLE.byteLength })
    const opened = await store.open(stored.id)
    expect(opened).toMatchObject({ contentType: 'audio/wav', bytes: WHOLE.byteLength })
    expect(WHOLE.equals(await readAll(opened))).toBe(true)
    expect(WHOLE.equals(await readAll(opened))).toBe(true)
  })

  test('every id is new, and fit to be given to a model', async () => {
    const store = await create()
    const puts = Array.from({ length: 8 }, () => store.put(parts(), { contentType: 'audio/wav' }))
    const ids = (await Promise.all(puts)).map(({ id }) => id)
    expect(new Set(ids).size).toBe(8)
    expect(ids.every(isAudioId)).toBe(true)
  })

  test('an unknown id opens nothing', async () => {
    const store = await create()
    const { id } = await store.put(parts(), { contentType: 'audio/wav' })
    for (const other of [`${id}x`, id.slice(1), id.toUpperCase(), 'constructor', 'x', '__proto__']) {
      await expect(store.open(other)).resolves.toBeUndefined()
    }
  })

  test.each([
    ['bytes', () => WHOLE],
    ['a Blob', () => new Blob(PARTS)],
    ['a stream', () => new Blob(PARTS).stream()],
    ['an iterable', parts],
  ])('%s can be put', async (_, audio) => {
    const store = await create()
    const { id } = await store.put(audio(), { contentType: 'audio/wav' })
    expect(WHOLE.equals(await readAll(await store.open(id)))).toBe(true)
  })

  test('a user opens nothing of another user, nor of nobody', async () => {
    const store = await create()
    const users = ['ann', 'bob', '../ann', undefined]
    for (const user of users) {
      const { id } = await store.put(parts(), { contentType: 'audio/wav', user })
      const opened = await Promise.all(users.map((other) => store.open(id, { user: other })))
      expect(users.filter((_, index) => opened[index] !== undefined)).toEqual([user])
    }
  })

  test('transcripts are stored for each user', async () => {
    const { transcripts } = await create()
    const transcript = { status: 'ready', text: 'hello', source: { type: 'reference', id: 'a' } } as const
    await transcripts?.set('transcript_1', transcript, { user: 'ann' })
    await expect(transcripts?.get('transcript_1', { user: 'ann' })).resolves.toEqual(transcript)
    for (const user of ['bob', undefined]) {
      await expect(transcripts?.get('transcript_1', { user })).resolves.toBeUndefined()
    }
  })

  test('audio that fails on its way is not stored, and its error is passed on', async () => {
    const store = await create()
    async function* failing(): AsyncGenerator<Uint8Array, void, undefined> {
      yield new Uint8Array(10)
      throw new Error('cut')
    }
    await expect(store.put(failing(), { contentType: 'audio/wav' })).rejects.toThrow('cut')
  })

  test('an abort rejects with its reason', async () => {
    const store = await create()
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    await expect(store.put(parts(), { contentType: 'audio/wav', signal })).rejects.toBe(reason)
  })
}

import { describe, expect, test } from 'vitest'
import { type IncomingUpload, receiveUpload } from '../src/index.ts'
import { FakeRequest } from './support/fake-request.ts'
import { formBody } from './support/form.ts'
import { androidRecording, cameraRecording, voiceMemo } from './support/recordings.ts'
import { readAll } from './support/receiver.ts'

const SOUND = {
  'MP4, tracks first': androidRecording('mp4', 'front'),
  'MP4, tracks last': androidRecording('mp4', 'end'),
  'M4A, tracks first': voiceMemo('front'),
  'M4A, tracks last': voiceMemo(),
  '3GP, tracks first': androidRecording('3gp', 'front'),
  '3GP, tracks last': androidRecording('3gp', 'end'),
}

const pictures = (tracks: 'front' | 'end'): Readonly<Record<string, Buffer>> => ({
  'MP4, tracks': cameraRecording('mp4', tracks),
  '3GP, tracks': cameraRecording('3gp', tracks),
  'MOV, tracks': cameraRecording('mov', tracks),
})
const PICTURES_FIRST = pictures('front')
const PICTURES_LAST = pictures('end')
const REFUSED = { status: 415, code: 'unsupported_content' }

/** What file inputs, WebViews and apps declare. Chromium declares `.mp4` and `.3gp` as video. */
const DECLARED = ['application/octet-stream', '', 'video/mp4', 'video/3gpp', 'audio/mp4', 'audio/3gpp']

/** A table of a file in each of its containers, each declared in each way. */
function table(files: Readonly<Record<string, Buffer>>): [container: string, declared: string, content: Buffer][] {
  return Object.entries(files).flatMap(([container, content]) =>
    DECLARED.map((declared): [string, string, Buffer] => [container, declared, content]),
  )
}

/** Receives the file, in pieces of the given size. */
async function receive(
  content: Buffer,
  declared: string,
  accept: readonly string[],
  size = 1000,
): Promise<IncomingUpload> {
  const body = formBody([{ filename: 'rec', ...(declared === '' ? {} : { type: declared }), content }])
  const pieces = Array.from({ length: Math.ceil(body.byteLength / size) }, (_, at) =>
    body.subarray(at * size, (at + 1) * size),
  )
  return receiveUpload(new FakeRequest(pieces), { maxFileSize: 1_000_000, accept })
}

describe("`accept: ['audio/*']`", () => {
  test.each(table(SOUND))('takes sound in %s, declared as "%s", whole', async (_container, declared, content) => {
    const upload = await receive(content, declared, ['audio/*'])
    expect(upload.sniffedType).toMatch(/^audio\//)
    expect((await readAll(upload.stream)).equals(content)).toBe(true)
  })

  test.each(table(PICTURES_FIRST))(
    'refuses a picture in %s first, declared as "%s"',
    async (_of, declared, content) => {
      await expect(receive(content, declared, ['audio/*'])).rejects.toMatchObject(REFUSED)
    },
  )

  test.each(table(PICTURES_LAST))('refuses a picture in %s last, declared as "%s"', async (_of, declared, content) => {
    const { stream, signal } = await receive(content, declared, ['audio/*'])
    // The reader never sees the end: the service does not get a whole file.
    await expect(readAll(stream)).rejects.toMatchObject(REFUSED)
    expect(signal.reason).toMatchObject(REFUSED)
  })

  test('refuses a picture at the end, however the bytes are cut', async () => {
    const content = cameraRecording('mp4', 'end')
    for (const size of [1, 7, 29, content.byteLength + 1000]) {
      const { stream } = await receive(content, '', ['audio/*'], size)
      await expect(readAll(stream)).rejects.toMatchObject({ code: 'unsupported_content' })
    }
  })
})

test('a picture is taken where video is accepted too, and sound at the end where only video is', async () => {
  const camera = cameraRecording('mp4', 'end')
  for (const declared of ['audio/mp4', 'video/mp4', '']) {
    const { stream } = await receive(camera, declared, ['audio/*', 'video/*'])
    expect((await readAll(stream)).equals(camera)).toBe(true)
  }
  expect((await receive(camera, 'video/mp4', ['video/*'])).sniffedType).toBe('video/mp4')
})

import { wordErrorRate } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { errorOf, outputOf, textOf } from './support/engine.ts'
import { byId, speech, transcription } from './support/parameters.ts'
import { served } from './support/scripted.ts'

const TEXT = 'The train to the coast leaves at seven in the morning.'
const OTHER_TEXT = 'There is a small garden behind the old house.'

/** What the service sends without n8n between. */
function spoken(text: string): Promise<Uint8Array> {
  const body = { model: 'svc-tts-1.5-flash', input: text, voice_id: 'rms', response_format: 'wav' }
  return given.service.direct.speech.create(body).then((audio) => audio.bytes())
}

const given = served()

describe('Speech', () => {
  test('the WAV in the binary field is byte for byte what the service sends', async () => {
    const run = await given.engine.run([{ name: 'Speak', parameters: speech({ text: TEXT }) }])
    expect(errorOf(run, 'Speak')).toBeUndefined()
    const [item] = outputOf(run, 'Speak')
    expect(Buffer.compare(await given.engine.bytesOf(item, 'data'), await spoken(TEXT))).toBe(0)
  })

  test('beside the file there are its name, type, size and length', async () => {
    const run = await given.engine.run([{ name: 'Speak', parameters: speech({ text: TEXT }) }])
    const [item] = outputOf(run, 'Speak')
    const bytes = await given.engine.bytesOf(item, 'data')
    expect(item?.json).toMatchObject({ fileName: 'speech.wav', contentType: 'audio/wav', bytes: bytes.byteLength })
    // the service speaks with 16,000 samples of two bytes a second; a header is 44 bytes
    expect(item?.json['durationSeconds']).toBeCloseTo((bytes.byteLength - 44) / bytes.readUInt32LE(28), 6)
    expect(item?.binary?.['data']).toMatchObject({
      fileName: 'speech.wav',
      mimeType: 'audio/wav',
      fileExtension: 'wav',
    })
  })

  test('the chosen format, field and file name are used', async () => {
    const parameters = speech({
      text: TEXT,
      responseFormat: 'mp3',
      binaryPropertyName: 'announcement',
      options: { fileName: 'platform 2.mp3' },
    })
    const [item] = outputOf(await given.engine.run([{ name: 'Speak', parameters }]), 'Speak')
    expect(Object.keys(item?.binary ?? {})).toEqual(['announcement'])
    expect(item?.binary?.['announcement']).toMatchObject({ fileName: 'platform 2.mp3', mimeType: 'audio/mpeg' })
    expect(item?.json).not.toHaveProperty('durationSeconds')
  })

  test('every item is spoken and paired with what it came from', async () => {
    const items = [TEXT, OTHER_TEXT].map((text) => ({ json: { text } }))
    const run = await given.engine.run([{ name: 'Speak', parameters: speech({ text: '={{ $json.text }}' }) }], {
      items,
    })
    const output = outputOf(run, 'Speak')
    expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }])
    expect(Buffer.compare(await given.engine.bytesOf(output[0], 'data'), await spoken(TEXT))).toBe(0)
    expect(Buffer.compare(await given.engine.bytesOf(output[1], 'data'), await spoken(OTHER_TEXT))).toBe(0)
  })
})

describe('Transcription', () => {
  test('what was spoken is heard, within 15 % word error rate', async () => {
    const items = [TEXT, OTHER_TEXT].map((text) => ({ json: { text } }))
    const nodes = [
      { name: 'Speak', parameters: speech({ text: '={{ $json.text }}' }) },
      { name: 'Listen', parameters: transcription() },
    ]
    const run = await given.engine.run(nodes, { items })
    expect(errorOf(run, 'Listen')).toBeUndefined()
    const heard = outputOf(run, 'Listen')
    expect(heard.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }])
    expect(wordErrorRate(TEXT, textOf(heard[0], 'text'))).toBeLessThanOrEqual(0.15)
    expect(wordErrorRate(OTHER_TEXT, textOf(heard[1], 'text'))).toBeLessThanOrEqual(0.15)
  })

  test('as text, it is the same text', async () => {
    const nodes = [
      { name: 'Speak', parameters: speech({ text: OTHER_TEXT }) },
      { name: 'Listen', parameters: transcription({ responseFormat: 'text' }) },
    ]
    const [item] = outputOf(await given.engine.run(nodes), 'Listen')
    expect(item?.json).toEqual({ text: expect.any(String) })
    expect(wordErrorRate(OTHER_TEXT, textOf(item, 'text'))).toBeLessThanOrEqual(0.15)
  })

  test('an item without that field says which field it lacks', async () => {
    const run = await given.engine.run(
      [{ name: 'Listen', parameters: transcription({ binaryPropertyName: 'voice memo' }) }],
      {
        items: [
          {
            json: {},
            binary: { first: { data: '', mimeType: 'audio/wav' }, second: { data: '', mimeType: 'audio/wav' } },
          },
        ],
      },
    )
    expect(errorOf(run, 'Listen')?.message).toContain('voice memo')
  })
})

test('a model of another kind is refused before anything is sent', async () => {
  const parameters = speech({ text: TEXT, model: byId('svc-transcribe-1.0') })
  const run = await given.engine.run([{ name: 'Speak', parameters }])
  expect(errorOf(run, 'Speak')).toMatchObject({
    name: 'NodeOperationError',
    message: 'Model: svc-transcribe-1.0 does not work here: use svc-tts-* [item 0]',
  })
})

import { bytesOf, type N8nWorkflow, svcAudio } from '@svc-audio/kit/n8n-engine'
import { describe, expect, test } from 'vitest'
import type { Snippet, SnippetKind } from '../../client/code/snippet.ts'
import { dialogueSnippets, FIRST_SCRIPT } from '../../client/panels/dialogue/script.ts'
import { filesSnippets } from '../../client/panels/files/snippets.ts'
import { modelsSnippets } from '../../client/code/servers.ts'
import { FIRST_DRAFT, type VoicesDraft, voicesSnippets } from '../../client/panels/voices/draft.ts'
import { measure } from '../support/actions.ts'
import { copyCode, pick, SPOKEN, textOf, TYPED } from '../support/copied-code.ts'

const copied = copyCode()

/** Runs a program, or a server until its call is answered. */
async function use(snippets: readonly Snippet[], kind: SnippetKind): Promise<string> {
  const snippet = pick(snippets, kind)
  return snippet.call === undefined ? copied.start(snippet) : String(await copied.callServer(snippet))
}

/** Whether a file, or the only file of a pattern, has more than a second of audible speech. */
async function isSpeech(pattern: string): Promise<boolean> {
  const { seconds, peak } = measure(await copied.read(pattern))
  return seconds > 1 && peak > 0.05
}

/** Stands in for n8n's own node that reads a file. */
function reader(): N8nWorkflow['nodes'] {
  const parameters = { resource: 'speech', text: SPOKEN, voice: { __rl: true, mode: 'id', value: 'rms' } }
  return [svcAudio('Read the file', { ...parameters, responseFormat: 'wav' })]
}

describe('Dialogue', () => {
  const lines = FIRST_SCRIPT.lines.map((line, index) => (index === 1 ? { ...line, text: TYPED } : line))
  const snippets = dialogueSnippets({ ...FIRST_SCRIPT, lines, format: 'wav' })

  test.each(['core', 'curl', 'express', 'nestjs'] as const)('%s', async (kind) => {
    await use(snippets, kind)
    expect(measure(await copied.read('dialogue.wav')).seconds).toBeGreaterThan(4)
  })

  test('LangChain', async () => {
    expect(await use(snippets, 'langchain')).toMatch(/Spoken: \d/)
    expect(await isSpeech('audio/*.wav')).toBe(true)
  })

  test('n8n', async () => {
    const made = await copied.runN8n(pick(snippets, 'n8n'))
    expect(measure(bytesOf(made['Dialogue']?.binary?.['data'])).seconds).toBeGreaterThan(4)
  })
})

describe('Voices', () => {
  const draft = { ...FIRST_DRAFT, name: `=Ann's "own" \${voice}`, about: 'For $HOME', first: 'rms', second: 'slt' }
  const view = (name: VoicesDraft['view']): readonly Snippet[] =>
    voicesSnippets({
      ...draft,
      view: name,
      designText: TYPED,
      instruction: `A "calm" voice, it's deep`,
      compareText: TYPED,
    })

  async function nameOf(id: string): Promise<string | undefined> {
    const { data } = await copied.client.voices.list({ limit: 150 })
    return data.find((voice) => id.includes(voice.id))?.name
  }

  test.each(['core', 'curl', 'express', 'nestjs', 'langchain'] as const)('list: %s', async (kind) => {
    expect(await use(view('list'), kind)).toContain('slt')
  })

  test('list: n8n', async () => {
    expect((await copied.runN8n(pick(view('list'), 'n8n')))['Voices']?.json).toHaveProperty('id')
  })

  test.each(['core', 'curl', 'express', 'nestjs'] as const)('record: %s', async (kind) => {
    expect(await nameOf(await use(view('record'), kind))).toBe(draft.name)
  })

  test('record: n8n', async () => {
    const made = await copied.runN8n(pick(view('record'), 'n8n'), reader())
    expect(await nameOf(textOf(made['Create voice'], 'id'))).toBe(draft.name)
  })

  test.each(['core', 'curl', 'express', 'nestjs'] as const)('design: %s', async (kind) => {
    await use(view('design'), kind)
    expect(await isSpeech('designed.wav')).toBe(true)
  })

  test('design: LangChain', async () => {
    await use(view('design'), 'langchain')
    expect(await isSpeech('audio/*.wav')).toBe(true)
  })

  test('design: n8n', async () => {
    const made = await copied.runN8n(pick(view('design'), 'n8n'))
    expect(measure(bytesOf(made['Design']?.binary?.['data'])).peak).toBeGreaterThan(0.05)
    expect(await nameOf(textOf(made['Create voice'], 'id'))).toBe(draft.name)
  })

  test.each(['core', 'curl', 'express', 'nestjs'] as const)('compare: %s', async (kind) => {
    await use(view('compare'), kind)
    for (const name of kind === 'core' ? ['rms', 'slt'] : ['1', '2'])
      expect(await isSpeech(`voice-${name}.wav`)).toBe(true)
  })

  test('compare: LangChain, n8n and Vite', async () => {
    expect((await use(view('compare'), 'langchain')).match(/Spoken: \d/g)).toHaveLength(2)
    const made = await copied.runN8n(pick(view('compare'), 'n8n'))
    const [one, two] = ['Voice 1', 'Voice 2'].map((name) => bytesOf(made[name]?.binary?.['data']))
    expect(one?.equals(two ?? Buffer.alloc(0))).toBe(false)
    await copied.start(pick(view('compare'), 'vite'))
    expect(String(await copied.read('dist/assets/*.js'))).toMatch(/\.wav.*\.wav/s)
    expect(await isSpeech('dist/assets/*.wav')).toBe(true)
  })
})

describe('Files', () => {
  const snippets = filesSnippets()
  const isGone = (id: string): Promise<unknown> =>
    copied.client.files.retrieve(id).then(
      () => 'stored',
      () => 'deleted',
    )

  test('core', async () => {
    expect((await use(snippets, 'core')).toLowerCase()).toContain('bread')
  })

  test('curl', async () => {
    expect(await use(snippets, 'curl')).toContain('"recording.wav"')
  })

  test.each(['express', 'nestjs'] as const)('%s stores, transcribes and deletes', async (kind) => {
    await copied.callServer(pick(snippets, kind), async ({ url, answer }) => {
      const { id } = JSON.parse(String(answer)) as { id: string }
      const transcript = await fetch(`${url}/files/${id}/transcript`, { method: 'POST' })
      expect((await transcript.text()).toLowerCase()).toContain('bread')
      expect((await fetch(`${url}/files/${id}`, { method: 'DELETE' })).ok).toBe(true)
      expect(await isGone(id)).toBe('deleted')
      // The service's response stays in the server's log.
      const missing = await fetch(`${url}/files/${id}/transcript`, { method: 'POST' })
      expect(missing.status).toBeGreaterThanOrEqual(400)
      expect(await missing.text()).not.toContain('key-of')
    })
  })

  test('LangChain', async () => {
    expect((await use(snippets, 'langchain')).toLowerCase()).toContain('bread')
  })

  test('n8n', async () => {
    const { Store: stored, Transcribe: transcript } = await copied.runN8n(pick(snippets, 'n8n'), reader())
    expect(textOf(transcript, 'text').toLowerCase()).toContain('bread')
    expect(await isGone(textOf(stored, 'id'))).toBe('deleted')
  })
})

test.each(['core', 'curl', 'express', 'nestjs'] as const)('Models: %s', async (kind) => {
  expect(await use(modelsSnippets(), kind)).toContain('svc-tts-1.5-flash')
})

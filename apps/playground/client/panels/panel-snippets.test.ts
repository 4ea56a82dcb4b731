import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { curlJson, type Snippet, type SnippetKind } from '../code/snippet.ts'
import { dialogueSnippets, FIRST_SCRIPT } from './dialogue/script.ts'
import { filesSnippets } from './files/snippets.ts'
import { modelsSnippets } from '../code/servers.ts'
import { FIRST_DRAFT as TASK, type TaskDraft } from './tasks/draft.ts'
import { tasksSnippets } from './tasks/snippets.ts'
import { VIEWS, FIRST_DRAFT as VOICES, type VoicesDraft, voicesSnippets } from './voices/draft.ts'

const TEXTS = [`It's "fresh"`, '$HOME `id` ${x}', 'two\nlines \\ end', 'a\u2028b  c', 'JSON']

function pick(snippets: readonly Snippet[], kind: SnippetKind): Snippet {
  const found = snippets.find((snippet) => snippet.kind === kind)
  if (found === undefined) throw new Error(`There is no ${kind} code`)
  return found
}

interface Call {
  readonly words: readonly string[]
  /** Standard input, as JSON. */
  readonly body: unknown
}

/** Runs a script with a curl that notes its arguments and its input. */
function callsOf(script: string, argument = ''): Call[] {
  const curl = `curl() {
  printf '%s\\0' "$@"
  case "$*" in *--data-binary*) cat ;; esac
  printf '\\1'
}`
  const output = execFileSync('sh', ['-c', `${curl}\n${script}`, 'sh', ...(argument === '' ? [] : [argument])], {
    encoding: 'utf8',
  })
  return output
    .split('\u0001')
    .slice(0, -1)
    .map((call) => {
      const parts = call.split('\0')
      const input = parts.at(-1) ?? ''
      return { words: parts.slice(0, -1), body: input === '' ? undefined : (JSON.parse(input) as unknown) }
    })
}

const valuesOf = ({ words }: Call, option: string): (string | undefined)[] =>
  words.flatMap((word, index) => (word === option ? [words[index + 1]] : []))

/** The object that the code passes to a method. */
function argumentOf(code: string, method: string): Record<string, unknown> {
  const from = code.indexOf(`${method}(`) + method.length + 1
  const text = code.slice(from, code.indexOf('})', from) + 1)
  return runInNewContext(`(${text})`, { path: 'PATH', voice_id: 'VOICE' }) as Record<string, unknown>
}

describe('voices', () => {
  const snippets = (change: Partial<VoicesDraft>): readonly Snippet[] => voicesSnippets({ ...VOICES, ...change })

  test.each(VIEWS)('the view %s has a call of curl that names the key by its variable', (view) => {
    for (const call of callsOf(pick(snippets({ view }), 'curl').code)) {
      expect(valuesOf(call, '--header')[0]).toMatch(/^Authorization: Bearer /)
    }
  })

  test.each(TEXTS)('a recording may have the name and the description %j', (text) => {
    const list = snippets({ view: 'record', name: ` ${text} `, about: text })
    expect(argumentOf(pick(list, 'core').code, 'create')).toEqual({
      audio_sample: 'PATH',
      name: text,
      description: text,
    })
    const [call] = callsOf(pick(list, 'curl').code, 'my, own.wav')
    if (call === undefined) throw new Error('Nothing was called')
    expect(valuesOf(call, '--form-string')).toEqual([`name=${text}`, `description=${text}`])
    expect(valuesOf(call, '--form')).toEqual(['audio_sample=@"my, own.wav"'])
  })

  test('a recording without a name gets one, and without a description has none', () => {
    const list = snippets({ view: 'record', name: ' ', about: ' ' })
    expect(argumentOf(pick(list, 'core').code, 'create')).toEqual({ audio_sample: 'PATH', name: 'My voice' })
    const [call] = callsOf(pick(list, 'curl').code)
    expect(call === undefined ? [] : valuesOf(call, '--form-string')).toEqual(['name=My voice'])
    expect(pick(list, 'core').run).toBe('node voices.mts recording.wav')
  })

  test.each(TEXTS)('a design may say %j', (text) => {
    const list = snippets({ view: 'design', designText: text, instruction: text })
    const body = { model: 'svc-voice-generator-1.0', input: text, instruction: text, response_format: 'wav' }
    expect(argumentOf(pick(list, 'core').code, 'voiceGenerations.create')).toEqual(body)
    expect(callsOf(pick(list, 'curl').code).map((call) => call.body)).toEqual([body])
  })

  test.each(TEXTS)('a comparison says %j in both voices', (text) => {
    const list = snippets({ view: 'compare', compareText: text, first: 'rms', second: "o'neil" })
    const { code } = pick(list, 'core')
    expect(argumentOf(code, 'speech.create')).toMatchObject({ input: text, voice_id: 'VOICE' })
    expect(runInNewContext(/of (\[.*\])\)/.exec(code)?.[1] ?? '')).toEqual(['rms', "o'neil"])
    const calls = callsOf(pick(list, 'curl').code)
    expect(calls.map((call) => call.body)).toMatchObject([
      { input: text, voice_id: 'rms' },
      { input: text, voice_id: "o'neil" },
    ])
    expect(calls.map((call) => valuesOf(call, '--output'))).toEqual([['voice-1.wav'], ['voice-2.wav']])
  })
})

describe('tasks', () => {
  const voices = [{ id: 'rms' }, { id: "o'neil" }]
  const snippets = (change: Partial<TaskDraft>, file?: string): readonly Snippet[] =>
    tasksSnippets({ ...TASK, voice: 'rms', ...change }, voices, file)

  test.each(TEXTS)('of speech say %j', (text) => {
    const fields = { model: 'svc-tts-1.5-flash', input: text, voice_id: 'rms', response_format: 'mp3' }
    const list = snippets({ kind: 'speech', text })
    expect(argumentOf(pick(list, 'core').code, 'createTask')).toEqual(fields)
    const sent = /<<'JSON'\n(.*?)\nJSON\n/s.exec(pick(list, 'curl').code)?.[1] ?? ''
    expect(JSON.parse(sent)).toEqual({ ...fields, async: true })
  })

  test('tasks of a dialogue name the voices and every line, in both languages alike', () => {
    const list = snippets({ kind: 'dialogue', format: 'wav' })
    const sent = /<<'JSON'\n(.*?)\nJSON\n/s.exec(pick(list, 'curl').code)?.[1] ?? ''
    const { code } = pick(list, 'core')
    const from = code.indexOf('createTask(') + 'createTask('.length
    const own = runInNewContext(`(${code.slice(from, code.indexOf('\n})', from) + 2)})`) as object
    expect({ ...own, async: true }).toEqual(JSON.parse(sent))
    expect(own).toMatchObject({ response_format: 'wav', speakers: [{ voice_id: 'rms' }, { voice_id: "o'neil" }] })
  })

  test.each([
    ['talk.wav', 'talk.wav'],
    ["it's 1.wav", String.raw`'it'\''s 1.wav'`],
    ['$HOME.wav', "'$HOME.wav'"],
  ])('tasks of a transcription are run with the file %s', (file, word) => {
    const list = snippets({ kind: 'transcription' }, file)
    expect(pick(list, 'core').run).toBe(`node task.mts ${word}`)
    expect(pick(list, 'curl').run).toBe(`sh task.sh ${word}`)
  })

  test.each(['speech', 'dialogue', 'transcription'] as const)('of %s are a script that the shell can read', (kind) => {
    const { code } = pick(snippets({ kind, text: `it's "one"\n$two` }), 'curl')
    expect(() => execFileSync('sh', ['-n'], { input: code })).not.toThrow()
  })
})

test.each(TEXTS)('a dialogue says %j', (text) => {
  const script = { ...FIRST_SCRIPT, lines: [{ key: 1, speaker: 'B', text }] }
  const body = {
    model: 'svc-ttsd-1.0',
    speakers: [{ id: 'B', voice_id: 'slt' }],
    segments: [{ speaker: 'B', text }],
    response_format: 'mp3',
  }
  const list = dialogueSnippets(script)
  const { code } = pick(list, 'core')
  const from = code.indexOf('create(') + 'create('.length
  expect(runInNewContext(`(${code.slice(from, code.indexOf('\n})', from) + 2)})`)).toEqual(body)
  expect(callsOf(pick(list, 'curl').code).map((call) => call.body)).toEqual([body])
})

test('a stored file may have a comma in its name', () => {
  const [call] = callsOf(pick(filesSnippets(), 'curl').code, 'part 1, two.wav')
  expect(call === undefined ? [] : valuesOf(call, '--form')).toEqual(['purpose=audio', 'file=@"part 1, two.wav"'])
})

test('the models are read with a GET', () => {
  const [call] = callsOf(`SVC_AUDIO_BASE_URL=https://a.example\n${pick(modelsSnippets(), 'curl').code}`)
  expect(call?.words).toContain('https://a.example/v1/models')
  expect(call?.words).not.toContain('--request')
})

test('curl stops with an error when the service refuses', () => {
  const lists = [
    filesSnippets(),
    modelsSnippets(),
    dialogueSnippets(FIRST_SCRIPT),
    tasksSnippets(TASK, [{ id: 'rms' }]),
  ]
  for (const list of lists) expect(pick(list, 'curl').code).toContain('--fail-with-body')
  expect(curlJson('/v1/a', {})).toContain('--fail-with-body')
})

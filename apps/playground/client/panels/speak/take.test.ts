import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { n8nText } from '../../code/n8n-workflow.ts'
import { type Snippet, SNIPPET_KINDS, type SnippetKind } from '../../code/snippet.ts'
import {
  FIRST_DRAFT,
  formatOf,
  isReady,
  isStream,
  SAMPLES,
  type SpeechCode,
  speechSnippets,
  STREAMING_MODEL,
} from './draft.ts'

const SPEECH: SpeechCode = {
  text: 'Good morning.',
  voice: 'rms',
  model: 'svc-tts-1.5-flash',
  stream: false,
  format: 'mp3',
  speed: 1.5,
}

/** Texts with the marks of every language that the code is written in. */
const TEXTS = [
  `It's "fresh" bread`,
  '$HOME `id` $(id) ${x}',
  'two\nlines and a \\ backslash',
  "'; rm -rf / #",
  '语音 🎧 \u2028 end',
  'JSON\nEND\nEND_',
  '={{ $json.secret }}',
  '= 1 + 1',
]

function pick(kind: SnippetKind, change: Partial<SpeechCode> = {}): Snippet {
  const found = speechSnippets({ ...SPEECH, ...change }).find((snippet) => snippet.kind === kind)
  if (found === undefined) throw new Error(`There is no ${kind} code`)
  return found
}

/** The words of a command, as the shell reads them. */
function wordsOf(command: string): string[] {
  const output = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { encoding: 'utf8' })
  return output.split('\0').slice(0, -1)
}

function bodyOf(change: Partial<SpeechCode>): unknown {
  const sent = /<<'JSON'\n(.*)\nJSON\n$/s.exec(pick('curl', change).code)?.[1] ?? ''
  return JSON.parse(sent)
}

/** The literal of a field in the code. */
function fieldOf(code: string, name: string): unknown {
  const text = new RegExp(String.raw`^ *${name}: ([^\n]*),\n`, 'm').exec(code)?.[1]
  return text === undefined ? undefined : runInNewContext(text)
}

test('there is code of every kind, in the order of the tab', () => {
  expect(speechSnippets(SPEECH).map(({ kind }) => kind)).toEqual(SNIPPET_KINDS)
})

describe.each(TEXTS)('the text %j', (text) => {
  test('has its value again in TypeScript', () => {
    expect(fieldOf(pick('core', { text }).code, 'input')).toBe(text)
    const invoked = /invoke\(\{ text: ([^\n]*) \}\)\)\n/.exec(pick('langchain', { text }).code)?.[1]
    expect(runInNewContext(invoked ?? '')).toBe(text)
  })

  test('has its value again in JSON', () => {
    expect(bodyOf({ text })).toMatchObject({ input: text })
    const { nodes } = JSON.parse(pick('n8n', { text }).code) as { nodes: { parameters: { text?: string } }[] }
    expect(nodes.at(-1)?.parameters.text).toBe(n8nText(text))
  })

  test.each(['express', 'nestjs'] as const)('is one word of the call of %s', (kind) => {
    const [flag, json = ''] = wordsOf(pick(kind, { text }).call ?? '')
    expect([flag, JSON.parse(json)]).toEqual(['--json', { text }])
  })

  test('stays inside of the page that the shell writes', () => {
    const page = pick('vite', { text }).code.split("index.html <<'END'\n")[1] ?? ''
    const [html = '', rest] = page.split(/^END\n/m)
    expect(rest).toBe('npx vite build\n')
    const said = [...html.matchAll(/<p>(.*?)<\/p>/gs)].map(([, paragraph = '']) => paragraph)
    expect(said.join(' ').split(/\s+/)).toEqual(text.split(/\s+/))
  })
})

describe('a stream', () => {
  test('a stream is saved as a WAV, and its speed is named only if it is another', () => {
    const { code } = pick('core', { stream: true })
    expect(code).toContain('audio.speech.stream({')
    expect(code).toContain("saveTo('speech.wav')")
    expect(fieldOf(code, 'speed')).toBe(1.5)
    expect(pick('core', { stream: true, speed: 1 }).code).not.toContain('speed')
  })

  test('a stream is PCM for curl and Express', () => {
    expect(bodyOf({ stream: true })).toEqual({
      model: SPEECH.model,
      input: SPEECH.text,
      voice_id: 'rms',
      speed: 1.5,
      stream: true,
      response_format: 'pcm',
    })
    expect(pick('curl', { stream: true }).code).toContain('--output speech.pcm')
    const { code, call } = pick('express', { stream: true })
    expect([fieldOf(code, 'respond'), fieldOf(code, 'speed')]).toEqual(['pcm', 1.5])
    expect(call).toContain('--output speech.pcm')
  })
})

describe('a file', () => {
  test('a file has its format and no speed, which belongs to a stream', () => {
    const { code } = pick('core', { format: 'flac' })
    expect([fieldOf(code, 'response_format'), fieldOf(code, 'speed')]).toEqual(['flac', undefined])
    expect(code).toContain("saveTo('speech.flac')")
    expect(bodyOf({ format: 'flac' })).not.toHaveProperty('speed')
  })

  test.each(['express', 'nestjs'] as const)('is saved with its format by the call of %s', (kind) => {
    expect(pick(kind, { format: 'opus' }).call).toContain('--output speech.opus localhost:3000/speak')
  })
})

test('no code holds a key: each reads it from the environment', () => {
  for (const { code } of speechSnippets(SPEECH))
    expect(code).not.toMatch(/apiKey(?!: process\.env\.)|the-server-has-it/)
  expect(pick('curl').code).toContain('Bearer $SVC_AUDIO_API_KEY')
})

test('a page has a paragraph for each paragraph, and its markup is text', () => {
  const { code } = pick('vite', { text: 'One <b>&amp;\n\n\nTwo > 1' })
  expect(code.match(/<p>.*<\/p>/g)).toEqual(['<p>One &lt;b&gt;&amp;amp;</p>', '<p>Two &gt; 1</p>'])
})

test('the install of each package names what its code imports', () => {
  for (const { code, install = '', kind } of speechSnippets(SPEECH)) {
    const names = [...code.matchAll(/^import .*? from '((?!node:)[^'.][^']*)'/gm)].map(([, name = '']) => name)
    expect([kind, ...install.split(' ')]).toEqual(expect.arrayContaining(names))
  }
})

test('the AI SDK asks for the same speech', () => {
  const { code, install } = pick('ai-sdk', { text: 'Good morning.', format: 'mp3' })
  expect(install).toBe('npm install @svc-audio/ai-sdk ai')
  expect(code).toContain("model: svcAudio.speech('svc-tts-1.5-flash'),")
  expect(['text', 'voice', 'outputFormat', 'speed'].map((name) => fieldOf(code, name))).toEqual([
    'Good morning.',
    'rms',
    'mp3',
    undefined,
  ])
})

test('the OpenAI client asks for the same speech at the OpenAI API of the service', () => {
  const { code, install } = pick('openai', { text: 'Good morning.', format: 'mp3' })
  expect(install).toBe('npm install openai')
  expect(code).toContain('baseURL: `${process.env.SVC_AUDIO_BASE_URL}/openai/v1`,')
  expect(['model', 'input', 'voice', 'response_format', 'speed'].map((name) => fieldOf(code, name))).toEqual([
    'svc-tts-1.5-flash',
    'Good morning.',
    'rms',
    'mp3',
    undefined,
  ])
  expect(fieldOf(pick('openai', { stream: true }).code, 'speed')).toBe(1.5)
})

test.each([
  ['svc-tts-1.5-flash', 'stream', true],
  ['svc-tts-1.5-flash', 'mp3', false],
  ['svc-tts-1.0-pro', 'stream', false],
] as const)('%s with the output %s is a stream: %s', (model, output, expected) => {
  expect(isStream({ ...FIRST_DRAFT, model, output })).toBe(expected)
})

test('a draft of a stream makes an MP3, when its model makes files only', () => {
  expect(formatOf({ ...FIRST_DRAFT, output: 'stream' })).toBe('mp3')
  expect(formatOf({ ...FIRST_DRAFT, output: 'opus' })).toBe('opus')
})

test.each([
  ['Hi', '', 'stream', true],
  ['Hi', '', 'mp3', false],
  ['Hi', 'rms', 'mp3', true],
  [' ', 'rms', 'stream', false],
] as const)('the text %j with the voice %j as %s can be spoken: %s', (text, voice, output, expected) => {
  expect(isReady({ ...FIRST_DRAFT, text, voice, output })).toBe(expected)
})

test('the first draft streams at a speed of the range', () => {
  expect([FIRST_DRAFT.model, isStream(FIRST_DRAFT)]).toEqual([STREAMING_MODEL, true])
  expect(FIRST_DRAFT.speed).toBeGreaterThanOrEqual(0.25)
  expect(FIRST_DRAFT.speed).toBeLessThanOrEqual(4)
})

test.each(SAMPLES)('the pauses of the sample $title have a length that the service takes', ({ text }) => {
  const pauses = [...text.matchAll(/\[pause ([^\]]*)\]/g)].map(([, length = '']) => length)
  for (const length of pauses) {
    expect(length).toMatch(/^\d+(?:\.\d+)?s$/)
    expect(Number.parseFloat(length)).toBeGreaterThanOrEqual(0.1)
    expect(Number.parseFloat(length)).toBeLessThanOrEqual(10)
  }
  expect(text.replaceAll(/\[pause [^\]]*\]/g, '')).not.toContain('[')
})

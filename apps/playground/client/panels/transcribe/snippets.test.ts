import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import type { Snippet, SnippetKind } from '../../code/snippet.ts'
import { type TranscriptionCode, transcriptionSnippets } from './snippets.ts'

const TRANSCRIPTION: TranscriptionCode = {
  model: 'svc-transcribe-diarize-pro',
  live: false,
  keyterms: [],
  source: { file: 'talk.wav' },
}
const TERMS = [`O'Neil`, '@home', 'a "b" $c', '<x>']
const URL_SOURCE = { url: "https://a.example/a'b?c=$d" }

function pick(kind: SnippetKind, change: Partial<TranscriptionCode> = {}): Snippet {
  const found = transcriptionSnippets({ ...TRANSCRIPTION, ...change }).find((snippet) => snippet.kind === kind)
  if (found === undefined) throw new Error(`There is no ${kind} code`)
  return found
}

/** The words of a command, as the shell reads them, and its input. */
function run(command: string): { words: string[]; input: string } {
  const script = `curl() { printf '%s\\0' "$@"; cat; }\n${command}`
  const output = execFileSync('sh', ['-c', script], { encoding: 'utf8', input: '' })
  const parts = output.split('\0')
  return { words: parts.slice(0, -1), input: parts.at(-1) ?? '' }
}

/** The values of an option of curl. */
function valuesOf(words: readonly string[], option: string): (string | undefined)[] {
  return words.flatMap((word, index) => (word === option ? [words[index + 1]] : []))
}

function evaluate(text: string | undefined): unknown {
  return runInNewContext(text ?? '')
}

/** Reads the name of `--form 'file=@…'` as curl does: quoted, or up to the first comma or semicolon. */
function fileOf(form: string | undefined): string | undefined {
  const quoted = /^file=@"((?:[^"\\]|\\.)*)"$/.exec(form ?? '')?.[1]
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? /^file=@([^,;]*)/.exec(form ?? '')?.[1]
}

test('Vite, which transcribes nothing, has no code', () => {
  const kinds = transcriptionSnippets(TRANSCRIPTION).map(({ kind }) => kind)
  expect(kinds).toEqual(['core', 'curl', 'openai', 'ai-sdk', 'express', 'nestjs', 'langchain', 'n8n'])
})

describe('curl', () => {
  test('sends a form with each key term as its own field, none read as a file', () => {
    const { words } = run(pick('curl', { live: true, keyterms: TERMS }).code)
    expect(valuesOf(words, '--form-string')).toEqual([
      'model=svc-transcribe-diarize-pro',
      'stream=true',
      ...TERMS.map((term) => `keyterms=${term}`),
    ])
    expect(fileOf(valuesOf(words, '--form')[0])).toBe('talk.wav')
  })

  test.each([URL_SOURCE, { file_id: 'file_1' }])('sends JSON for %j', (source) => {
    const { input } = run(pick('curl', { source, keyterms: TERMS }).code)
    expect(JSON.parse(input)).toEqual({ model: TRANSCRIPTION.model, keyterms: TERMS, ...source })
  })

  test('sends no field that the user did not set', () => {
    const { input } = run(pick('curl', { source: URL_SOURCE }).code)
    expect(Object.keys(JSON.parse(input) as object)).toEqual(['model', 'url'])
  })
})

describe.each(['talk.wav', "it's.wav", 'part 1, "two"; x.wav', '$HOME `id`.wav', String.raw`a\b.wav`, '-x.wav'])(
  'a file with the name %j',
  (file) => {
    const source = { file }

    test('is the value of the form of curl', () => {
      expect(fileOf(valuesOf(run(pick('curl', { source }).code).words, '--form')[0])).toBe(file)
    })

    test.each(['express', 'nestjs'] as const)('is uploaded by the call of %s', (kind) => {
      expect(fileOf(valuesOf(run(pick(kind, { source }).call ?? '').words, '--form')[0])).toBe(file)
    })

    test('is a literal in TypeScript', () => {
      const name = /^ {2}file: (.*),$/m.exec(pick('core', { source }).code)?.[1]
      expect(evaluate(name)).toBe(file)
      const audio = /invoke\(\{ audio: (.*) \}\)\)$/m.exec(pick('langchain', { source }).code)?.[1]
      expect(evaluate(audio)).toBe(`./${file}`)
    })
  },
)

describe('a live transcription', () => {
  test('a live transcription is a stream of events', () => {
    const { code } = pick('core', { live: true })
    expect(code).toContain('audio.transcriptions.stream({')
    expect(code).toContain("'transcript.segment.done'")
    expect(pick('core').code).toContain('audio.transcriptions.create({')
  })

  test('a live transcription is answered by the middleware itself', () => {
    const { code } = pick('express', { live: true })
    expect(code).toContain("respond: 'sse'")
    expect(code).toContain("app.post('/transcribe', transcribe)\n")
    expect(pick('express').code).toContain('response.json(request.transcription)')
  })
})

test.each(['core', 'express', 'nestjs'] as const)('key terms are a list in the code of %s, or left out', (kind) => {
  const list = /keyterms: (\[.*?\])(?:,| \}\)\))$/m.exec(pick(kind, { keyterms: TERMS }).code)?.[1]
  expect(evaluate(list)).toEqual(TERMS)
  expect(pick(kind).code).not.toContain('keyterms')
})

describe('a workflow of n8n', () => {
  interface Workflow {
    readonly nodes: readonly { readonly name: string; readonly type: string; readonly parameters: object }[]
    readonly connections: Readonly<Record<string, { main: { node: string }[][] }>>
  }
  const workflow = (change: Partial<TranscriptionCode>): Workflow => JSON.parse(pick('n8n', change).code) as Workflow

  test('a workflow of n8n reads the file first, and each node leads to the next', () => {
    const { nodes, connections } = workflow({})
    expect(nodes.map(({ name }) => name)).toEqual(['Start', 'Read the file', 'Transcribe'])
    expect(nodes[1]?.parameters).toMatchObject({ fileSelector: 'talk.wav', options: { dataPropertyName: 'data' } })
    expect(nodes[2]?.parameters).toMatchObject({ source: 'binary', binaryPropertyName: 'data' })
    const next = Object.entries(connections).map(([name, { main }]) => [name, main[0]?.[0]?.node])
    expect(next).toEqual([
      ['Start', 'Read the file'],
      ['Read the file', 'Transcribe'],
    ])
  })

  test('a workflow of n8n takes an address without a file', () => {
    const { nodes, connections } = workflow({ source: URL_SOURCE })
    expect(nodes.map(({ name }) => name)).toEqual(['Start', 'Transcribe'])
    expect(nodes[1]?.parameters).toMatchObject({ source: 'url', ...URL_SOURCE })
    expect(Object.keys(connections)).toEqual(['Start'])
  })
})

test('a tool of LangChain gets an address as it is', () => {
  const { code } = pick('langchain', { source: URL_SOURCE })
  expect(evaluate(/invoke\(\{ audio: (.*) \}\)\)$/m.exec(code)?.[1])).toBe(URL_SOURCE.url)
})

describe('the OpenAI client', () => {
  test('sends the file, with key terms as keywords', () => {
    const { code } = pick('openai', { keyterms: TERMS, source: { file: "o'neil.wav" } })
    expect(code).toContain("file: createReadStream('o\\'neil.wav'),")
    expect(evaluate(/keywords: (.*),\n/.exec(code)?.[1])).toEqual(TERMS)
    expect(code).toContain('console.log(result.text)')
  })

  test('streams segments of speakers', () => {
    const { code } = pick('openai', { live: true })
    expect(code).toContain("stream: true,\n  response_format: 'diarized_json',")
    expect(code).toContain("event.type === 'transcript.text.segment'")
  })

  test('has no code for an address, which its API does not take', () => {
    expect(() => pick('openai', { source: URL_SOURCE })).toThrow('There is no openai code')
  })
})

describe('the AI SDK', () => {
  test('reads the file, and sends key terms as options of the provider', () => {
    const { code } = pick('ai-sdk', { keyterms: TERMS, source: { file: "o'neil.wav" } })
    expect(code).toContain("audio: await readFile('o\\'neil.wav'),")
    expect(evaluate(/keyterms: (.*) \} \},\n/.exec(code)?.[1])).toEqual(TERMS)
  })

  test('gets an address as a URL', () => {
    const { code } = pick('ai-sdk', { source: URL_SOURCE })
    expect(evaluate(/audio: new URL\((.*)\),\n/.exec(code)?.[1])).toBe(URL_SOURCE.url)
  })

  test.each([{ live: true }, { source: { file_id: 'file_1' } }])('has no code for %o', (transcription) => {
    expect(() => pick('ai-sdk', transcription)).toThrow('There is no ai-sdk code')
  })
})

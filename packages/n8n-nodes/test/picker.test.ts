import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SvcAudio } from '../nodes/SvcAudio/SvcAudio.node.ts'
import { OPERATIONS } from '../nodes/SvcAudio/operations/index.ts'
import { SvcAudioTrigger } from '../nodes/SvcAudioTrigger/SvcAudioTrigger.node.ts'
import { PACKAGE_FOLDER } from './support/engine.ts'

interface Codex {
  readonly categories: string[]
  readonly subcategories: Record<string, string[]>
  readonly alias: string[]
  readonly resources: Record<string, { url: string }[]>
}

const NODE_FOLDER = join(PACKAGE_FOLDER, 'nodes/SvcAudio')

async function codex(): Promise<Codex> {
  return JSON.parse(await readFile(join(NODE_FOLDER, 'SvcAudio.node.json'), 'utf8')) as Codex
}

test('the editor lists the node: one of category AI must be a root node', async () => {
  const { categories, subcategories } = await codex()
  expect(categories).toContain('AI')
  expect(subcategories['AI']).toContain('Root Nodes')
  // Its own section among the tools of an agent: n8n lists "Other Tools" last.
  expect(subcategories['Tools']).toEqual(['Speech'])
})

test.each([
  'text to speech',
  'text-to-speech',
  'tts',
  'speak',
  'read aloud',
  'narrate',
  'sound',
  'mp3',
  'voice clone',
  'speech to text',
  'whisper',
  'asr',
  'transcribe',
  'recording',
  'meeting',
  'dictation',
  'diarize',
  'captions',
  'srt',
  'voice memo',
  'voicemail',
  'audiobook',
  'read out',
  'dub',
  'clone voice',
  'audio to text',
  'call recording',
  'interview',
  'minutes',
  'closed captions',
  'elevenlabs',
])('"%s" is one of its aliases', async (alias) => {
  expect((await codex()).alias).toContain(alias)
})

test('the trigger too says what the nodes are for, since the picker shows its description for both', () => {
  expect(new SvcAudioTrigger().description.description).toMatch(/^Turn text into speech and recordings into text/)
})

test('its Docs links lead to the page of this package', async () => {
  const { resources } = await codex()
  const urls = Object.values(resources).flatMap((links) => links.map(({ url }) => url))
  expect(urls).toHaveLength(2)
  for (const url of urls) expect(url).toMatch(/\/packages\/n8n-nodes#/)
})

test('the picker reads as a list of jobs', () => {
  const actions = OPERATIONS.map(({ action }) => action)
  expect(actions).toEqual(expect.arrayContaining(['Convert text to speech', 'Transcribe a recording']))
  expect(new Set(actions).size).toBe(actions.length)
})

test('the subtitle names the job of each operation', () => {
  const { subtitle = '' } = new SvcAudio().description
  const [, expression = ''] = /^=\{\{(.+)\}\}$/s.exec(subtitle) ?? []
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- as n8n evaluates an expression
  const evaluate = new Function('$parameter', `return ${expression}`) as (parameters: object) => unknown
  for (const { resource, operation, action } of OPERATIONS) expect(evaluate({ resource, operation })).toBe(action)
})

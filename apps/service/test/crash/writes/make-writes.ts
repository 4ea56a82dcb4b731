import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { noise, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import type { Program, Tenant } from '../program.ts'
import { call } from './call.ts'
import { Deletion } from './deletion.ts'
import { FileWrite } from './file-write.ts'
import { KeyWrite } from './key-write.ts'
import { ResultWrite } from './result-write.ts'
import { StreamWrite } from './stream-write.ts'
import { TaskWrite } from './task-write.ts'
import { VoiceWrite } from './voice-write.ts'
import type { Write, WriteTerms } from './write.ts'

/** The writes of one round. */
export interface RoundWrites {
  /** Writes by request. */
  readonly requests: readonly Write[]
  /** Writes by command beside the service. */
  readonly commands: readonly Write[]
}

const SOUND = new Uint8Array(await wavOf(noise(0.5)).arrayBuffer())
const LARGEST_FILE = 300_000

/** Every kind of write for a round, in a shuffled order. */
export function makeWrites(round: number, webhookUrl: string, random: Random): RoundWrites {
  let count = 0
  const terms = (): WriteTerms => {
    count += 1
    const tenant: Tenant = random.pick(['first', 'second'])
    return { key: `round-${round}-write-${count}`, tenant }
  }
  const file = (): FileWrite => new FileWrite(terms(), new Uint8Array(randomBytes(random.whole(1, LARGEST_FILE))))
  const requests = [
    ...[1, 2].map(() => speechTask(terms(), webhookUrl)),
    dialogueTask(terms(), webhookUrl),
    generationTask(terms(), webhookUrl),
    uploadTask(terms(), webhookUrl),
    fileTask(terms(), webhookUrl),
    ...[1, 2].map(file),
    ...[1, 2].map(() => fileDeletion(file())),
    new ResultWrite(terms()),
    new VoiceWrite(terms()),
    new StreamWrite(terms()),
  ]
  const commands = [new KeyWrite(terms()), keyDeletion(new KeyWrite(terms())), voiceDeletion(new VoiceWrite(terms()))]
  return { requests: shuffled(requests, random), commands: shuffled(commands, random) }
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => [random.next(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item)
}

const SPEECH = { response_format: 'wav', async: true }
const words = (key: string): string => `${key.replaceAll('-', ' ')}.`

function speechTask(terms: WriteTerms, webhook_url: string): TaskWrite {
  const body = { ...SPEECH, model: 'svc-tts-1.0-pro', input: words(terms.key), voice_id: 'rms', webhook_url }
  return new TaskWrite({ ...terms, kind: 'speech task', request: async () => ({ path: '/v1/audio/speech', body }) })
}

function dialogueTask(terms: WriteTerms, webhook_url: string): TaskWrite {
  const speakers = ['rms', 'slt'].map((voice) => ({ id: voice, voice_id: voice }))
  const segments = speakers.map(({ id }) => ({ speaker: id, text: words(terms.key) }))
  const body = { ...SPEECH, model: 'svc-ttsd-1.0', speakers, segments, webhook_url }
  const request = async () => ({ path: '/v1/audio/speech/speakers', body })
  return new TaskWrite({ ...terms, kind: 'dialogue task', request })
}

function generationTask(terms: WriteTerms, webhook_url: string): TaskWrite {
  const voice = { model: 'svc-voice-generator-1.0', instruction: 'a calm old man' }
  const body = { ...SPEECH, ...voice, input: words(terms.key), webhook_url }
  const request = async () => ({ path: '/v1/audio/voice/generations', body })
  return new TaskWrite({ ...terms, kind: 'voice generation task', request })
}

const TRANSCRIPTION = { model: 'svc-transcribe-1.0', path: '/v1/audio/transcriptions' }

function uploadTask(terms: WriteTerms, webhookUrl: string): TaskWrite {
  const request = async () => {
    const body = new FormData()
    body.append('model', TRANSCRIPTION.model)
    body.append('async', 'true')
    body.append('webhook_url', webhookUrl)
    body.append('file', new Blob([SOUND]), 'sound.wav')
    return { path: TRANSCRIPTION.path, body }
  }
  return new TaskWrite({ ...terms, kind: 'transcription task, upload', request })
}

function fileTask(terms: WriteTerms, webhook_url: string): TaskWrite {
  const source = new FileWrite({ ...terms, key: `${terms.key}-source` }, SOUND)
  const request = async (program: Program) => {
    if (!source.acknowledged) await source.begin(program)
    const body = { model: TRANSCRIPTION.model, async: true, file_id: source.id, webhook_url }
    return { path: TRANSCRIPTION.path, body }
  }
  return new TaskWrite({ ...terms, kind: 'transcription task, file', request, parts: [source] })
}

function fileDeletion(victim: FileWrite): Deletion<FileWrite> {
  const terms = { key: `${victim.key}-deletion`, tenant: victim.tenant }
  const path = (): string => `/v1/files/${victim.id}`
  return new Deletion({
    ...terms,
    kind: 'deletion of a file',
    victim,
    async remove(program) {
      const response = await call(program, terms, { method: 'DELETE', path: path() })
      await response.bytes()
      if (![200, 404].includes(response.status)) throw new Error(`${terms.key} got status ${response.status}`)
      return response.status === 200
    },
    async isGone(program) {
      const response = await call(program, terms, { path: path() })
      await response.bytes()
      return response.status === 404 && !(await readdir(join(program.dataDir, 'files'))).includes(victim.id)
    },
  })
}

function keyDeletion(victim: KeyWrite): Deletion<KeyWrite> {
  return new Deletion({
    key: `${victim.key}-deletion`,
    tenant: victim.tenant,
    kind: 'deletion of an API key',
    victim,
    remove: (program) => removed(program.admin('keys', 'delete', victim.id)),
    isGone: async (program) => (await victim.try(program)) === 401,
  })
}

function voiceDeletion(victim: VoiceWrite): Deletion<VoiceWrite> {
  return new Deletion({
    key: `${victim.key}-deletion`,
    tenant: victim.tenant,
    kind: 'deletion of a voice',
    victim,
    remove: (program) => removed(program.admin('voices', 'delete', victim.tenant, victim.id)),
    async isGone(program) {
      const response = await victim.speak(program)
      await response.bytes()
      return response.status === 404 && !(await victim.isListed(program))
    },
  })
}

async function removed(command: Promise<string>): Promise<boolean> {
  try {
    await command
    return true
  } catch (error) {
    if (error instanceof Error && /no key|no voice/.test(error.message)) return false
    throw error
  }
}

import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { respondJson, RATE, type Script, streamedWav, toneOf } from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'
import type { Patient } from './patient.ts'

/** An illness of the machine. */
export interface Fault {
  readonly name: string
  begin(patient: Patient): Promise<void>
  end(patient: Patient): Promise<void>
}

const nothing = async (): Promise<void> => {}
const heal = ({ machine }: Patient): Promise<void> => machine.become()

/** A fault of the library under the process. */
function sick(name: string, sickness: Parameters<Patient['machine']['become']>[0]): Fault {
  return { name, begin: ({ machine }) => machine.become(sickness), end: heal }
}

const DAY_SECONDS = 86_400

/** Memory that the processes may take under the limit: less than a sentence needs. */
const SPARE_BYTES = 1024 * 1024

async function fillDisk({ disk }: Patient): Promise<void> {
  const file = await open(join(disk, 'filler'), 'a')
  try {
    for (const block of [Buffer.alloc(1024 * 1024), Buffer.alloc(4096), Buffer.alloc(1)]) {
      for (let room = true; room;)
        room = await file.appendFile(block).then(
          () => true,
          () => false,
        )
    }
  } finally {
    await file.close()
  }
}

async function useUpNames({ disk }: Patient): Promise<void> {
  const folder = join(disk, 'names')
  await mkdir(folder, { recursive: true })
  for (let name = 0, room = true; room; name += 1) {
    room = await writeFile(join(folder, String(name)), '').then(
      () => true,
      () => false,
    )
  }
}

/** Asks for audio at names whose server is silent. */
async function askSilentNames(patient: Patient): Promise<void> {
  patient.names.silent = true
  for (let name = 0; name < 20; name += 1) {
    const body = { model: 'svc-transcribe-1.0', url: `http://silent-${name}.example.com/a.wav` }
    void patient.request('/v1/audio/transcriptions', body, AbortSignal.timeout(30_000)).catch(() => undefined)
  }
}

async function answerNames({ names }: Patient): Promise<void> {
  names.silent = false
  if (names.asked === 0) throw new Error('The service has not asked the silent name server')
}

/** Every fault of the machine. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'stopped engine processes',
    begin: async (patient) => {
      for (const pid of await patient.engines()) process.kill(pid, 'SIGSTOP')
    },
    end: nothing,
  },
  {
    // The kernel kills the process with the most memory: an engine.
    name: 'killed engine processes, as for want of memory',
    begin: async (patient) => {
      for (const pid of await patient.engines()) process.kill(pid, 'SIGKILL')
    },
    end: nothing,
  },
  sick('syncs of 300 ms', { syncMs: 300 }),
  sick('failing syncs', { syncFails: true }),
  { name: 'a full disk', begin: fillDisk, end: ({ disk }) => rm(join(disk, 'filler'), { force: true }) },
  {
    name: 'no free inodes',
    begin: useUpNames,
    end: ({ disk }) => rm(join(disk, 'names'), { recursive: true, force: true }),
  },
  {
    name: 'few file descriptors',
    begin: (patient) => patient.limitDescriptors(4),
    end: (patient) => patient.limitDescriptors(),
  },
  {
    name: 'a memory limit',
    begin: (patient) => patient.limitMemory(SPARE_BYTES),
    end: (patient) => patient.limitMemory(),
  },
  { name: 'a silent name server', begin: askSilentNames, end: answerNames },
  sick('a clock an hour back', { clockSeconds: -3600 }),
  sick('a clock 30 days forth', { clockSeconds: 30 * DAY_SECONDS }),
]

/** A server that answers each request with a fault. */
function failing(name: string, script: Script): Fault {
  return {
    name,
    begin: async ({ server }) => {
      if (server !== undefined) server.script = script
    },
    end: async ({ server }) => {
      if (server !== undefined) server.script = () => undefined
    },
  }
}

function refusing(status: number): Script {
  return (_request, response) => respondJson(response, status, { error: { message: 'no' } }, { 'retry-after': '1' })
}

/** Every fault of a server that speaks and recognizes. */
export const SERVER_FAULTS: readonly Fault[] = [
  failing('a server that breaks connections', (_request, response) => response.destroy()),
  failing('a server that refuses for a moment', refusing(429)),
  failing('a server that loads its model', refusing(503)),
  failing('a server that refuses the key', refusing(401)),
  failing('a server that fails', refusing(500)),
  failing('a server that answers pages', (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>'),
  ),
  failing('a server that is cut in mid-audio', (_request, response) => {
    response.writeHead(200, { 'content-type': 'audio/wav' })
    return response.write(streamedWav(toneOf('one two three')), () => response.destroy())
  }),
  failing('a server whose responses never end', (_request, response) => {
    response.writeHead(200, { 'content-type': 'audio/wav' })
    response.write(streamedWav(Buffer.alloc(0)))
    const more = (): void => {
      if (!response.destroyed) response.write(Buffer.alloc(RATE), () => setTimeout(more, 100))
    }
    more()
    return true
  }),
  failing('a silent server', () => true),
]

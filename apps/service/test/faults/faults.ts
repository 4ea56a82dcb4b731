import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

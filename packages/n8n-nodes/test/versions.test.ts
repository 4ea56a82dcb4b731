import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { INode, INodeExecutionData } from 'n8n-workflow'
import { describe, expect, test } from 'vitest'
import { SvcAudio } from '../nodes/SvcAudio/SvcAudio.node.ts'
import { OPERATIONS } from '../nodes/SvcAudio/operations/index.ts'
import { SvcAudioTrigger } from '../nodes/SvcAudioTrigger/SvcAudioTrigger.node.ts'
import { type ExportedWorkflow, PACKAGE_FOLDER } from './support/engine.ts'
import { scripted } from './support/scripted.ts'

// A workflow that was stored with a version of the node sends the same requests for ever. A change of the form that these
// tests refuse needs a new version of the node: add it to `version`, and a workflow of it here.

const FOLDER = join(PACKAGE_FOLDER, 'test/stored')

/** A workflow as n8n stored it, with a node for each operation, and the first request of each. */
interface Stored extends ExportedWorkflow {
  readonly requests: Readonly<Record<string, unknown>>
}

const stored = async (version: number): Promise<Stored> =>
  JSON.parse(await readFile(join(FOLDER, `version-${version}.json`), 'utf8')) as Stored

const given = scripted()
const VERSIONS = [new SvcAudio().description.version].flat()
const FILE = { data: Buffer.from('a recording').toString('base64'), mimeType: 'audio/wav', fileName: 'talk.wav' }
const ITEM: INodeExecutionData = { json: { speaker: 'Ann', text: 'Hello.' }, binary: { data: FILE } }

/** The first request of the node, without boundaries and keys. */
function firstRequest(): unknown {
  const [request] = given.upstream.requests
  if (request === undefined) return undefined
  const { method, path, json, form } = request
  return {
    method,
    path,
    ...(json === undefined ? {} : { json }),
    ...(form === undefined ? {} : { form: { ...form.fields, files: form.files.map(({ field }) => field) } }),
  }
}

test('both nodes have the same versions', () => {
  expect([new SvcAudioTrigger().description.version].flat()).toEqual(VERSIONS)
})

describe.each(VERSIONS)('version %i', (version) => {
  test('has a stored workflow with every operation', async () => {
    const { nodes } = await stored(version)
    const names = nodes.map(({ name }) => name)
    expect(names.toSorted()).toEqual(OPERATIONS.map((one) => `${one.resource}.${one.operation}`).toSorted())
    expect(new Set(nodes.map(({ typeVersion }) => typeVersion))).toEqual(new Set([version]))
  })

  test.each(OPERATIONS.map(({ resource, operation }) => `${resource}.${operation}`))(
    'a stored node of %s sends what it sent when it was stored',
    async (name) => {
      const workflow = await stored(version)
      const node = workflow.nodes.find((one) => one.name === name) as INode
      await given.engine.runExport({ nodes: [node], connections: {} }, [ITEM])
      expect(firstRequest()).toEqual(workflow.requests[name])
    },
  )
})

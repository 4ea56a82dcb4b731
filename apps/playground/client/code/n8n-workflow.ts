import type { Snippet } from './snippet.ts'

/** A node of a workflow, after the trigger. */
export interface N8nNode {
  readonly name: string
  /** Its type, e.g. `n8n-nodes-svc-audio.svcAudio`. */
  readonly type: string
  readonly version: number
  readonly parameters: object
  /** Part of the address of a node that n8n calls. */
  readonly webhookId?: string
}

const START: N8nNode = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', version: 1, parameters: {} }
/** Pixels between two nodes of the canvas. */
const STEP = 220

/** A node of this project. @param parameters Its texts are {@link n8nText} or expressions. */
export function svcAudioNode(name: string, parameters: object): N8nNode {
  return { name, type: 'n8n-nodes-svc-audio.svcAudio', version: 1, parameters }
}

/** A node that reads a file from n8n's disk into the field `data`. */
export function readFileNode(fileName: string): N8nNode {
  const parameters = { operation: 'read', fileSelector: n8nText(fileName), options: { dataPropertyName: 'data' } }
  return { name: 'Read the file', type: 'n8n-nodes-base.readWriteFile', version: 1, parameters }
}

/**
 * A text as the value of a field. n8n takes a value that begins with `=` for an expression. Such a text becomes an
 * expression with the text as its value, without the braces that would end it.
 */
export function n8nText(text: string): string {
  if (!text.startsWith('=')) return text
  const value = JSON.stringify(text)
    .replaceAll('{', String.raw`\u007b`)
    .replaceAll('}', String.raw`\u007d`)
  return `={{ ${value} }}`
}

/** An entry that the user has not chosen from a list: a voice, a model, a file. */
export function byId(id: string): object {
  return { __rl: true, mode: 'id', value: n8nText(id) }
}

/** Speakers and lines of a dialogue, as the node's form has them. */
export function dialogueParameters(
  speakers: readonly { readonly id: string; readonly voice_id: string }[],
  segments: readonly { readonly speaker: string; readonly text: string }[],
): object {
  return {
    resource: 'dialogue',
    speakers: { speaker: speakers.map(({ id, voice_id }) => ({ name: id, voiceId: n8nText(voice_id) })) },
    linesFrom: 'form',
    lines: { line: segments.map(({ speaker, text }) => ({ speaker, text: n8nText(text) })) },
    model: byId('svc-ttsd-1.0'),
  }
}

/** A workflow to paste. @param rows Nodes in rows. The first row begins with a manual trigger. */
export function n8nSnippet(name: string, ...rows: readonly (readonly N8nNode[])[]): Snippet {
  return {
    kind: 'n8n',
    title: 'n8n',
    file: `${name.toLowerCase().replaceAll(' ', '-')}.json`,
    steps: [
      'In n8n, open Settings, Community nodes, and install n8n-nodes-svc-audio.',
      'Add the credential Svc Audio API: the address of the service and your key.',
      'Paste the workflow onto the canvas. Choose the credential in each Svc Audio node.',
    ],
    code: n8nWorkflow(name, ...rows),
  }
}

/** A workflow as n8n imports it: rows of nodes, the first behind a manual trigger. */
export function n8nWorkflow(name: string, ...[first = [], ...others]: readonly (readonly N8nNode[])[]): string {
  const rows = [[START, ...first], ...others]
  const placed = rows.flatMap((row, y) => row.map((node, x) => ({ node, position: [x * STEP, y * STEP] })))
  const workflow = {
    name,
    nodes: placed.map(({ node, position }, index) => {
      const { name: title, type, version: typeVersion, parameters, webhookId } = node
      return { id: `node-${index}`, name: title, type, typeVersion, position, parameters, webhookId }
    }),
    connections: Object.fromEntries(rows.flatMap(connectionsOf)),
  }
  // Positions on one line. No text of the JSON has a line break.
  const json = JSON.stringify(workflow, undefined, 2).replaceAll(/\[\n *(\d+),\n *(\d+)\n *\]/g, '[$1, $2]')
  return `${json}\n`
}

function connectionsOf(row: readonly N8nNode[]): [string, object][] {
  return row.flatMap(({ name }, index) => {
    const next = row[index + 1]
    return next === undefined ? [] : [[name, { main: [[{ node: next.name, type: 'main', index: 0 }]] }]]
  })
}

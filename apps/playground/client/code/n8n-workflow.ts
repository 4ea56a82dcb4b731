/** A node of a workflow, after the trigger. */
export interface N8nNode {
  readonly name: string
  /** Its type, e.g. `n8n-nodes-svc-audio.svcAudio`. */
  readonly type: string
  readonly version: number
  readonly parameters: object
}

const START = 'Start'
/** Pixels between two nodes of the canvas. */
const STEP = 220

/** A workflow as n8n imports it: nodes in a row, behind a manual trigger. */
export function n8nWorkflow(name: string, nodes: readonly N8nNode[]): string {
  const trigger = { name: START, type: 'n8n-nodes-base.manualTrigger', version: 1, parameters: {} }
  const all = [trigger, ...nodes]
  const workflow = {
    name,
    nodes: all.map(({ name: title, type, version, parameters }, index) => ({
      id: `node-${index}`,
      name: title,
      type,
      typeVersion: version,
      position: [index * STEP, 0],
      parameters,
    })),
    connections: Object.fromEntries(
      nodes.map((node, index) => [
        all[index]?.name ?? START,
        { main: [[{ node: node.name, type: 'main', index: 0 }]] },
      ]),
    ),
  }
  return `${JSON.stringify(workflow, undefined, 2)}\n`
}

import type { IConnections, INode } from 'n8n-workflow'

/** A workflow as n8n exports one. */
export interface ExportedWorkflow {
  readonly id?: string
  readonly nodes: INode[]
  readonly connections: IConnections
}

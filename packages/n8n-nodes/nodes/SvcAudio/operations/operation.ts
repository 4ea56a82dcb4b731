import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow'

/** One operation of the node: its fields in the form, and what it does with one item. */
export interface Operation {
  readonly fields: INodeProperties[]
  /** @throws SvcAudioError or an error of n8n's; the node makes one of n8n's of either */
  run(context: IExecuteFunctions, itemIndex: number): Promise<INodeExecutionData>
}

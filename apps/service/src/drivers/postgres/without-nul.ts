import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type PrimitiveValueListNode,
  type RootOperationNode,
  type UnknownRow,
  type QueryResult,
  type ValueNode,
} from 'kysely'

/** Replaces U+0000 in all values of a query, because PostgreSQL stores every character but this one. */
export class WithoutNulPlugin implements KyselyPlugin {
  readonly #transformer = new ValueTransformer()

  transformQuery({ node }: { readonly node: RootOperationNode }): RootOperationNode {
    return this.#transformer.transformNode(node)
  }

  async transformResult({ result }: { readonly result: QueryResult<UnknownRow> }): Promise<QueryResult<UnknownRow>> {
    return result
  }
}

class ValueTransformer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...node, value: withoutNul(node.value) }
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...node, values: node.values.map(withoutNul) }
  }
}

function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul)
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

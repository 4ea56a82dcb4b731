// The package has no types.
declare module 's3rver' {
  interface Options {
    readonly address?: string
    readonly port?: number
    readonly directory?: string
    readonly silent?: boolean
    readonly configureBuckets?: readonly { readonly name: string; readonly configs?: readonly string[] }[]
  }
  interface StoredObject {
    readonly bucket: string
    readonly key: string
    readonly content: Buffer | AsyncIterable<Uint8Array>
    readonly metadata: Readonly<Record<string, string>>
  }
  interface Store {
    putObject(object: StoredObject): Promise<{ readonly size: number; readonly md5: string }>
    putMetadata(bucket: string, key: string, metadata: StoredObject['metadata'], md5: string): Promise<void>
    getResourcePath(bucket: string, key: string, resource: string): string
  }
  export default class S3rver {
    constructor(options: Options)
    readonly store: Store
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}

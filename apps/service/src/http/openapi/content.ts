import { z } from 'zod'

/** Bytes, in the OpenAPI document. */
export const binary = z.string().meta({ format: 'binary' })

/** Describes a JSON body. */
export function json<Schema extends z.ZodType>(schema: Schema): { readonly 'application/json': Schema } {
  return { 'application/json': schema }
}

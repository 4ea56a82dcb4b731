import { z } from 'zod'
import { unixSeconds } from '../../http/openapi/responses.ts'

/** Parameters of the path of a file. */
export const FileParams = z.object({ file_id: z.string() })

/** An uploaded file. */
export const FileResponse = z.looseObject({
  id: z.string(),
  object: z.literal('file'),
  bytes: z.int(),
  created_at: unixSeconds,
  filename: z.string(),
  purpose: z.string(),
  status: z.enum(['processed', 'active', 'failed']),
})

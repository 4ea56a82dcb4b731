import { z } from 'zod'

/** The state of the service. */
export const HealthResponse = z.object({
  status: z.string(),
  engines: z.array(z.string()).optional().describe('Engines that do not work'),
})

import { EngineFailedError } from '../../ports/engine-failure.ts'

/** The thread that measures samples failed at one of them. Its message is meant for the operator. */
export class AnalysisFailedError extends EngineFailedError {
  override readonly name = 'AnalysisFailedError' as const
}

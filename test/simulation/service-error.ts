/** An error of the server as gRPC gives it to a client. */
export class ServiceError extends Error {
  readonly code: number;
  readonly details: string;
  readonly metadata = { get: () => [], toJSON: () => ({}) };

  constructor(code: number, details: string) {
    super(`${code}: ${details}`);
    this.name = 'ServiceError';
    this.code = code;
    this.details = details;
  }
}

const codes = {
  cancelled: 1,
  invalid: 3,
  deadline: 4,
  notFound: 5,
  exists: 6,
  precondition: 9,
  unavailable: 14,
};

export const notFound = (what: string) => new ServiceError(codes.notFound, `${what} not found`);
export const completed = () => new ServiceError(codes.notFound, 'workflow execution already completed');
export const alreadyExists = () => new ServiceError(codes.exists, 'Workflow execution already started');
export const deadlineExceeded = () => new ServiceError(codes.deadline, 'Deadline exceeded');

"""What both servers, the dashboard and the receiver, let one address do: connections that it does not use, and requests."""

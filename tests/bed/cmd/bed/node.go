package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"bed/internal/child"
	"bed/internal/supervisor"
)

// nodeOptions are the flags of `bed node`.
type nodeOptions struct {
	name         string
	kubeconfig   string
	dir          string
	labels       string
	taints       string
	featureGates string
	kubelet      []string
}

// nodeReady is the line that tells that the node is Ready.
type nodeReady struct {
	Name          string                        `json:"name"`
	Dir           string                        `json:"dir"`
	DevicePlugins string                        `json:"devicePlugins"` // what the kubelet sees as /var/lib/kubelet/device-plugins
	Root          string                        `json:"root"`          // the kubelet's root folder
	WorkingDir    string                        `json:"workingDir"`
	PodLogs       string                        `json:"podLogs"`
	Processes     map[string]supervisor.Process `json:"processes"`
}

// hostFiles are what a kubelet writes on the machine it runs on; it gets copies instead (container_manager_linux.go, setupKernelTunables).
var hostFiles = []string{
	"/proc/sys/vm/overcommit_memory", "/proc/sys/vm/panic_on_oom", "/proc/sys/kernel/panic", "/proc/sys/kernel/panic_on_oops",
	"/proc/sys/kernel/keys/root_maxkeys", "/proc/sys/kernel/keys/root_maxbytes",
}

// nodeCommand starts one kubelet over an in-memory container runtime and holds both until stdin closes. Linux, root.
func nodeCommand() *cobra.Command {
	var o nodeOptions
	cmd := &cobra.Command{
		Use:   "node",
		Short: "Start a kubelet and its container runtime; end them when stdin closes",
		Args:  cobra.NoArgs,
		Run:   func(*cobra.Command, []string) { supervisor.Run(o.run) },
	}
	fs := cmd.Flags()
	fs.StringVar(&o.name, "name", "", "the node's name")
	fs.StringVar(&o.kubeconfig, "kubeconfig", "", "the cluster, as administrator")
	fs.StringVar(&o.dir, "dir", "", "work folder, empty or new; keep the path short, sockets are in it")
	fs.StringVar(&o.labels, "node-labels", "", "the kubelet's flag")
	fs.StringVar(&o.taints, "register-with-taints", "", "the kubelet's flag")
	fs.StringVar(&o.featureGates, "feature-gates", "", "the kubelet's flag")
	fs.StringArrayVar(&o.kubelet, "kubelet-flag", nil, "one more flag of the kubelet")
	return cmd
}

func (o nodeOptions) run(s *supervisor.Supervisor) error {
	var err error
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	if o.kubeconfig, err = filepath.Abs(o.kubeconfig); err != nil {
		return err
	}
	client, err := clientOf(o.kubeconfig, false)
	if err != nil {
		return err
	}
	if err := o.folders(); err != nil {
		return err
	}
	if err := o.configuration(); err != nil {
		return err
	}
	// A kubelet that finds no container runtime at first waits for seconds before it looks again.
	if err := s.Start(o.spec("cri", "cri", "--socket="+o.path("cri.sock"))); err != nil {
		return err
	}
	if err := s.Wait("container runtime", 30*time.Second, o.runtimeServes); err != nil {
		return err
	}
	kubelet, err := o.kubeletSpec()
	if err != nil {
		return err
	}
	begin := time.Now().Truncate(time.Second)
	if err := s.Start(kubelet); err != nil {
		return err
	}
	ready := func() bool { return o.nodeReady(client, begin) }
	if err := s.Wait("node "+o.name+" Ready", time.Minute, ready); err != nil {
		return err
	}
	supervisor.Say(nodeReady{
		Name: o.name, Dir: o.dir, DevicePlugins: o.path("device-plugins"), Root: o.path("root"),
		WorkingDir: o.path("work"), PodLogs: o.path("pod-logs"), Processes: s.Processes(),
	})
	return s.Obey(func(name string) error {
		if name == "cri" {
			return s.Wait("container runtime", 30*time.Second, o.runtimeServes)
		}
		begin = time.Now().Truncate(time.Second)
		return s.Wait("node "+o.name+" Ready", time.Minute, ready)
	})
}

func (o nodeOptions) path(name string) string { return filepath.Join(o.dir, name) }

// folders makes the work folder. The kubelet's working directory is an empty one of its own, whatever it does there.
func (o nodeOptions) folders() error {
	for _, name := range []string{"device-plugins", "manifests", "work", "root", "logs", "pod-logs", "container-logs", "volume-plugins", "host"} {
		if err := os.MkdirAll(o.path(name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

func (o nodeOptions) configuration() error {
	text, err := json.MarshalIndent(map[string]any{
		"apiVersion":                "kubelet.config.k8s.io/v1beta1",
		"kind":                      "KubeletConfiguration",
		"enableServer":              false, // no port: logs and exec have nothing to show here
		"healthzPort":               0,
		"readOnlyPort":              0,
		"failCgroupV1":              false,
		"cgroupsPerQOS":             false,
		"enforceNodeAllocatable":    []string{},
		"cgroupDriver":              "cgroupfs",
		"containerRuntimeEndpoint":  "unix://" + o.path("cri.sock"),
		"imageServiceEndpoint":      "unix://" + o.path("cri.sock"),
		"failSwapOn":                false,
		"podLogsDir":                o.path("pod-logs"),
		"staticPodPath":             o.path("manifests"),
		"volumePluginDir":           o.path("volume-plugins"),
		"authentication":            map[string]any{"anonymous": map[string]any{"enabled": true}, "webhook": map[string]any{"enabled": false}},
		"authorization":             map[string]any{"mode": "AlwaysAllow"},
		"makeIPTablesUtilChains":    false,
		"resolvConf":                "",
		"evictionHard":              map[string]string{},
		"oomScoreAdj":               0,
		"nodeStatusUpdateFrequency": "1s",
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.path("kubelet.json"), text, 0o644)
}

func (o nodeOptions) spec(name string, args ...string) child.Spec {
	return child.Spec{Name: name, Args: args, Dir: o.path("work"), Logs: o.path("logs")}
}

func (o nodeOptions) kubeletSpec() (child.Spec, error) {
	args := []string{
		"with-mounts",
		// The folders of device plugins and of the links to containers' logs are fixed in the kubelet.
		"--bind=" + o.path("device-plugins") + ":/var/lib/kubelet/device-plugins",
		"--bind=" + o.path("container-logs") + ":/var/log/containers",
	}
	for _, path := range hostFiles {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // this kernel has no such setting: the kubelet will not write it
		}
		copied := filepath.Join(o.path("host"), filepath.Base(path))
		if err := os.WriteFile(copied, text, 0o644); err != nil {
			return child.Spec{}, err
		}
		args = append(args, "--bind="+copied+":"+path)
	}
	args = append(args, "--", "kubelet", "--config="+o.path("kubelet.json"), "--kubeconfig="+o.kubeconfig, "--hostname-override="+o.name,
		"--root-dir="+o.path("root"), "--cert-dir="+o.path("pki"))
	for flag, value := range map[string]string{"node-labels": o.labels, "register-with-taints": o.taints, "feature-gates": o.featureGates} {
		if value != "" {
			args = append(args, fmt.Sprintf("--%s=%s", flag, value))
		}
	}
	spec := o.spec("kubelet", append(args, o.kubelet...)...)
	spec.Mounts = true
	return spec, nil
}

func (o nodeOptions) runtimeServes() bool {
	conn, err := net.Dial("unix", o.path("cri.sock"))
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was said on it
	return true
}

// nodeReady is whether this start of the kubelet (not an earlier one) has told that the node is Ready.
func (o nodeOptions) nodeReady(client kubernetes.Interface, since time.Time) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	node, err := client.CoreV1().Nodes().Get(ctx, o.name, metav1.GetOptions{})
	if err != nil {
		return false
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == v1.NodeReady {
			return condition.Status == v1.ConditionTrue && !condition.LastHeartbeatTime.Time.Before(since)
		}
	}
	return false
}
